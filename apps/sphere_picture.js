"use strict";

// Lengths are fractions of the root's radius, positions are relative to its center, and z is up.

const tight = [63 / 255, 143 / 255, 220 / 255], loose = [217 / 255, 83 / 255, 30 / 255];

function fillTable(data, choose) {
  return data.levels.map((level, number) => {
    const row = document.createElement("tr");
    row.tabIndex = 0;
    for (const text of [level.level, level.spheres.length, level.worst, level.mean, level.rms]) {
      row.appendChild(document.createElement("td")).textContent = text;
    }
    row.addEventListener("click", () => choose(number));
    row.addEventListener("keydown", event => { if (event.key === "Enter") choose(number); });
    element("levels").appendChild(row);
    return row;
  });
}

function makeMesh(mesh) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(mesh.vertices), 3));
  geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(mesh.triangles), 1));
  geometry.computeVertexNormals();
  return new THREE.Mesh(geometry, new THREE.MeshStandardMaterial(
      { color: 0xb8bfc8, roughness: 0.8, flatShading: mesh.triangles.length < 30000, side: THREE.DoubleSide }));
}

// Makes one object per level with all its spheres, each in its color. With many spheres, each has fewer triangles.
function makeSpheres(level) {
  const count = level.spheres.length;
  const slices = count > 2000 ? 12 : count > 200 ? 20 : 40;
  const ball = new THREE.SphereBufferGeometry(1, slices, slices / 2);
  const corners = ball.attributes.position.array, order = ball.index.array;
  const one = corners.length / 3;
  const positions = new Float32Array(count * corners.length), normals = new Float32Array(count * corners.length);
  const colors = new Float32Array(count * corners.length), index = new Uint32Array(count * order.length);
  level.spheres.forEach(([x, y, z, radius, part], i) => {
    const center = [x, y, z];
    for (let k = 0; k < corners.length; ++k) {
      positions[i * corners.length + k] = center[k % 3] + radius * corners[k];
      normals[i * corners.length + k] = corners[k];
      colors[i * corners.length + k] = tight[k % 3] + (loose[k % 3] - tight[k % 3]) * part;
    }
    for (let k = 0; k < order.length; ++k) index[i * order.length + k] = i * one + order[k];
  });
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
  geometry.setIndex(new THREE.BufferAttribute(index, 1));
  return new THREE.Mesh(geometry, new THREE.MeshStandardMaterial(
      { vertexColors: THREE.VertexColors, roughness: 0.6, transparent: true, depthWrite: false }));
}

function start() {
  const data = JSON.parse(element("data").textContent);
  element("title").textContent = data.title;
  element("note").textContent = data.note;
  let chosen = -1;
  let drawn = null;
  let show = () => {};
  const rows = fillTable(data, number => show(number));
  const renderer = makeRenderer();
  const scene = new THREE.Scene();
  scene.add(new THREE.HemisphereLight(0xffffff, 0x50565f, 0.75));
  const camera = new THREE.PerspectiveCamera(36, 1, 0.1, 100);
  camera.up.set(0, 0, 1);
  const sun = new THREE.DirectionalLight(0xffffff, 0.55);
  camera.add(sun);
  sun.position.set(-1, 1.5, 1);
  scene.add(camera);
  const mesh = makeMesh(data.mesh);
  scene.add(mesh);
  const levels = data.levels.map(() => null);

  let isWaiting = false;
  function draw() {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      clearToGround(renderer);
      renderer.render(scene, camera);
    });
  }
  show = number => {
    if (number < 0 || number >= levels.length || number === chosen) return;
    if (drawn) scene.remove(drawn);
    levels[number] = levels[number] || makeSpheres(data.levels[number]);
    drawn = levels[number];
    scene.add(drawn);
    chosen = number;
    rows.forEach((row, i) => row.setAttribute("aria-selected", i === number));
    setOpacity();
  };
  function setOpacity() {
    const opacity = Number(element("opacity").value);
    drawn.visible = opacity > 0;
    drawn.material.opacity = opacity;
    drawn.material.depthWrite = opacity === 1;
    draw();
  }
  function resize() {
    fitWindow(renderer, camera);
    draw();
  }
  element("opacity").addEventListener("input", setOpacity);
  element("mesh").addEventListener("change", () => { mesh.visible = element("mesh").checked; draw(); });
  window.addEventListener("keydown", event => {
    if (event.target === element("opacity")) return;  // the slider uses the arrow keys itself
    if (event.key === "ArrowRight" || event.key === "ArrowDown") show(chosen + 1);
    if (event.key === "ArrowLeft" || event.key === "ArrowUp") show(chosen - 1);
  });
  window.addEventListener("resize", resize);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  orbit(camera, { target: new THREE.Vector3(), distance: 3.6, azimuth: -1.0, elevation: 0.4, changed: draw });
  show(levels.length - 1);
  resize();
  // For tests.
  window.spherePicture = { get level() { return chosen; }, get triangles() { return renderer.info.render.triangles; } };
}

run(start);
