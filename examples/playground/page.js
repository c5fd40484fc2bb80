"use strict";

const touchColor = 0xff7a45, markColor = 0xffd24a;
const creaseCosine = Math.cos(35 * Math.PI / 180);  // sharper edges are drawn as edges

// ---- The recording ----

function bytes(base64) {
  return Uint8Array.from(atob(base64), c => c.charCodeAt(0)).buffer;
}

function readPoses(poses) {
  return { positions: new Float32Array(bytes(poses.positions)), rotations: new Int16Array(bytes(poses.rotations)) };
}

function readRecording() {
  const recording = JSON.parse(element("recording").textContent);
  for (const mesh of recording.meshes) {
    mesh.vertices = new Float32Array(bytes(mesh.vertices));
    mesh.triangles = new Uint32Array(bytes(mesh.triangles));
  }
  recording.fixed = readPoses(recording.fixed);
  recording.moving = readPoses(recording.moving);
  recording.touching.starts = new Uint32Array(bytes(recording.touching.starts));
  recording.touching.pairs = new Uint32Array(bytes(recording.touching.pairs));
  if (recording.soft) {
    const { soft } = recording;
    soft.vertices = new Uint16Array(bytes(soft.vertices));
    soft.marks.starts = new Uint32Array(bytes(soft.marks.starts));
    soft.marks.ends = new Uint16Array(bytes(soft.marks.ends));
    if (soft.dragged) soft.dragged.grips = new Float32Array(bytes(soft.dragged.grips));
  }
  return recording;
}

// Points that are packed in units of 1/65535 of a box's sides, into an array of coordinates.
function unpack(box, packed, first, count, into) {
  for (let i = 0; i < 3 * count; ++i) {
    const k = i % 3;
    into[i] = box[k] + (box[k + 3] - box[k]) * packed[3 * first + i] / 65535;
  }
}

function touchingPairCount(recording, frame) {
  return recording.touching.starts[frame + 1] - recording.touching.starts[frame];
}

function markCount(recording, frame) {
  return recording.soft.marks.starts[frame + 1] - recording.soft.marks.starts[frame];
}

// What the chart above the slider shows.
function contactCount(recording, frame) {
  return recording.soft ? markCount(recording, frame) : touchingPairCount(recording, frame);
}

// The numbers of the bodies that change color: those in a pair of bodies that both show when they touch.
function touchingBodies(recording, frame) {
  const { starts, pairs } = recording.touching;
  const touching = new Set();
  for (let k = 2 * starts[frame]; k < 2 * starts[frame + 1]; k += 2) {
    if (!recording.bodies[pairs[k]].showsTouch || !recording.bodies[pairs[k + 1]].showsTouch) continue;
    touching.add(pairs[k]);
    touching.add(pairs[k + 1]);
  }
  return touching;
}

// Puts an object where pose `index` says.
function place(object, poses, index) {
  const p = poses.positions, q = poses.rotations;
  object.position.set(p[3 * index], p[3 * index + 1], p[3 * index + 2]);
  object.quaternion.set(q[4 * index], q[4 * index + 1], q[4 * index + 2], q[4 * index + 3]).normalize();
}

// ---- Meshes ----

// A mesh to draw. Its surface has a normal at each corner: the mean over the faces around it that are not beyond a
// crease. Its edges are its creases and its border.
function shaded(mesh) {
  const { vertices, triangles } = mesh;
  const corner = (k, i) => vertices[3 * triangles[k] + i];
  const count = triangles.length / 3;
  const faceNormals = new Float32Array(3 * count);  // as long as twice the face's area
  const facesAt = Array.from({ length: vertices.length / 3 }, () => []);
  for (let face = 0; face < count; ++face) {
    const edge = (to, i) => corner(3 * face + to, i) - corner(3 * face, i);
    for (let i = 0; i < 3; ++i) {
      const j = (i + 1) % 3, k = (i + 2) % 3;
      faceNormals[3 * face + i] = edge(1, j) * edge(2, k) - edge(1, k) * edge(2, j);
      facesAt[triangles[3 * face + i]].push(face);
    }
  }
  const dot = (a, b) => faceNormals[3 * a] * faceNormals[3 * b] + faceNormals[3 * a + 1] * faceNormals[3 * b + 1] +
                        faceNormals[3 * a + 2] * faceNormals[3 * b + 2];
  const lengths = Float32Array.from({ length: count }, (_, face) => Math.sqrt(dot(face, face)));

  const positions = new Float32Array(9 * count), normals = new Float32Array(9 * count);
  for (let face = 0; face < count; ++face) {
    for (let k = 3 * face; k < 3 * face + 3; ++k) {
      const sum = [0, 0, 0];
      for (const other of facesAt[triangles[k]]) {
        if (dot(face, other) < creaseCosine * lengths[face] * lengths[other]) continue;
        for (let i = 0; i < 3; ++i) sum[i] += faceNormals[3 * other + i];
      }
      const length = Math.hypot(sum[0], sum[1], sum[2]) || 1;
      for (let i = 0; i < 3; ++i) {
        positions[3 * k + i] = corner(k, i);
        normals[3 * k + i] = sum[i] / length;
      }
    }
  }
  const surface = new THREE.BufferGeometry();
  surface.setAttribute("position", new THREE.BufferAttribute(positions, 3));
  surface.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  surface.computeBoundingSphere();

  const openEdges = new Map();  // by their two vertices: the face on one side, until the other one is found
  for (let k = 0; k < triangles.length; ++k) {
    const face = Math.floor(k / 3);
    const a = triangles[k], b = triangles[k % 3 === 2 ? k - 2 : k + 1];
    const key = Math.min(a, b) * facesAt.length + Math.max(a, b);
    const other = openEdges.get(key);
    if (other !== undefined && dot(face, other) >= creaseCosine * lengths[face] * lengths[other]) {
      openEdges.delete(key);
    } else {
      openEdges.set(key, face);
    }
  }
  const ends = [];
  for (const key of openEdges.keys()) {
    for (const vertex of [Math.floor(key / facesAt.length), key % facesAt.length]) {
      ends.push(...vertices.subarray(3 * vertex, 3 * vertex + 3));
    }
  }
  const edges = new THREE.BufferGeometry();
  edges.setAttribute("position", new THREE.BufferAttribute(new Float32Array(ends), 3));
  return { surface, edges };
}

// A mesh whose vertices move: smooth, with all its edges.
function softGeometry(mesh) {
  const positions = new THREE.BufferAttribute(mesh.vertices.slice(), 3);
  positions.setUsage(THREE.DynamicDrawUsage);
  const surface = new THREE.BufferGeometry();
  surface.setAttribute("position", positions);
  surface.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
  const ends = new Map();  // each edge once
  for (let k = 0; k < mesh.triangles.length; ++k) {
    const a = mesh.triangles[k], b = mesh.triangles[k % 3 === 2 ? k - 2 : k + 1];
    ends.set(Math.min(a, b) * positions.count + Math.max(a, b), [a, b]);
  }
  const edges = new THREE.BufferGeometry();
  edges.setAttribute("position", positions);
  edges.setIndex(new THREE.BufferAttribute(Uint32Array.from([...ends.values()].flat()), 1));
  return { surface, edges };
}

// Dots and lines for the contacts of a frame. They are drawn twice: as they are seen, and faintly through what is before.
function makeMarks(recording, scene) {
  const { soft } = recording;
  let most = 1;
  for (let frame = 0; frame < recording.frameCount; ++frame) most = Math.max(most, markCount(recording, frame));
  const positions = new THREE.BufferAttribute(new Float32Array(6 * most), 3);
  positions.setUsage(THREE.DynamicDrawUsage);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", positions);

  const disc = document.createElement("canvas");
  disc.width = disc.height = 32;
  const pen = disc.getContext("2d");
  pen.fillStyle = "white";
  pen.arc(16, 16, 15, 0, 2 * Math.PI);
  pen.fill();
  const map = new THREE.CanvasTexture(disc);
  for (const isSeen of [false, true]) {
    const look = { color: markColor, transparent: true, opacity: isSeen ? 1 : 0.2, depthTest: isSeen, depthWrite: false };
    const dots = new THREE.Points(geometry, new THREE.PointsMaterial({
      ...look, map, sizeAttenuation: false, size: 5 * Math.min(2, window.devicePixelRatio || 1) }));
    const lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial(look));
    for (const object of [dots, lines]) {
      object.frustumCulled = false;
      object.renderOrder = isSeen ? 2 : 1;
      scene.add(object);
    }
  }

  return frame => {
    const count = markCount(recording, frame);
    unpack(soft.box, soft.marks.ends, 2 * soft.marks.starts[frame], 2 * count, positions.array);
    positions.needsUpdate = true;
    geometry.setDrawRange(0, 2 * count);
  };
}

// The bodies as objects of the scene, and how to show a frame of them.
function makeBodies(recording, scene) {
  const isSoft = new Set(recording.bodies.filter(body => body.isSoft).map(body => body.mesh));
  const meshes = recording.meshes.map((mesh, number) => isSoft.has(number) ? softGeometry(mesh) : shaded(mesh));
  const edgeMaterial = new THREE.LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.35 });
  const softEdgeMaterial = new THREE.LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.14 });
  const surface = color => new THREE.MeshStandardMaterial({
    color, roughness: 0.75, metalness: 0.05, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  // What touches keeps a trace of its own color, so that two that touch can be told apart.
  const touchSurface = color => {
    const material = surface(new THREE.Color(color).lerp(new THREE.Color(touchColor), 0.75));
    material.emissive.setHex(0x4a1500);
    return material;
  };
  const materials = new Map();  // by color

  let fixedCount = 0, movingCount = 0, softCount = 0;  // of soft bodies the vertices
  const bodies = recording.bodies.map(body => {
    if (!materials.has(body.color)) {
      materials.set(body.color, { plain: surface(body.color), touching: touchSurface(body.color) });
    }
    const look = materials.get(body.color);
    const object = new THREE.Mesh(meshes[body.mesh].surface, look.plain);
    object.castShadow = body.showsTouch || body.isSoft;
    object.receiveShadow = true;
    object.add(new THREE.LineSegments(meshes[body.mesh].edges, body.isSoft ? softEdgeMaterial : edgeMaterial));
    scene.add(object);
    if (body.isSoft) {
      for (const material of Object.values(look)) material.side = THREE.DoubleSide;
      object.frustumCulled = object.children[0].frustumCulled = false;
      const first = softCount;
      softCount += recording.meshes[body.mesh].vertices.length / 3;
      return { object, look, isSoft: true, showsTouch: body.showsTouch, index: first };
    }
    if (body.isFixed) place(object, recording.fixed, fixedCount);
    return { object, look, isFixed: body.isFixed, showsTouch: body.showsTouch,
             index: body.isFixed ? fixedCount++ : movingCount++ };
  });

  function show(frame) {
    const touching = touchingBodies(recording, frame);
    bodies.forEach((body, number) => {
      if (body.isSoft) {
        const surface = body.object.geometry;
        const positions = surface.attributes.position;
        unpack(recording.soft.box, recording.soft.vertices, frame * softCount + body.index, positions.count,
               positions.array);
        positions.needsUpdate = true;
        surface.computeVertexNormals();
        surface.computeBoundingSphere();  // which picking looks at
      } else if (!body.isFixed) {
        place(body.object, recording.moving, frame * movingCount + body.index);
      }
      body.object.material = touching.has(number) ? body.look.touching : body.look.plain;
    });
    return touching.size;
  }

  function bounds() {
    const box = new THREE.Box3();
    for (const body of bodies) {
      const sphere = body.object.geometry.boundingSphere;
      if (!body.showsTouch && !body.isSoft) continue;
      const center = body.isSoft ? sphere.center : body.object.position;
      box.expandByPoint(center.clone().addScalar(sphere.radius));
      box.expandByPoint(center.clone().addScalar(-sphere.radius));
    }
    return box;
  }
  return { show, bounds, objects: bodies.map(body => body.object) };
}

// ---- A body that can be dragged: over the places that it has in the recording ----

function makeDrag(recording, camera, canvas, object, choose) {
  const { grips } = recording.soft.dragged;
  let held = null;  // from the grip to the pointer, in pixels

  function onScreen(frame) {
    const grip = new THREE.Vector3(grips[3 * frame], grips[3 * frame + 1], grips[3 * frame + 2]).project(camera);
    return { x: (1 + grip.x) / 2 * canvas.clientWidth, y: (1 - grip.y) / 2 * canvas.clientHeight };
  }
  // Of the frames whose grip is at (x, y) pixels from a place, the one with the least cost; -1 if all cost too much.
  function best(from, cost) {
    let found = -1, least = Infinity;
    for (let frame = 0; frame < recording.frameCount; ++frame) {
      const grip = onScreen(frame);
      const c = cost(grip.x - from.x, grip.y - from.y);
      if (c < least) { least = c; found = frame; }
    }
    return found;
  }
  function isOver(event) {
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2(2 * event.clientX / canvas.clientWidth - 1,
                                           1 - 2 * event.clientY / canvas.clientHeight), camera);
    return caster.intersectObject(object).length > 0;
  }

  canvas.addEventListener("pointerdown", event => {
    if (event.button !== 0 || event.shiftKey || !isOver(event)) return;
    const grip = onScreen(choose(null));
    held = { x: event.clientX - grip.x, y: event.clientY - grip.y };
  });
  canvas.addEventListener("pointermove", event => {
    if (held) {
      choose(best({ x: event.clientX - held.x, y: event.clientY - held.y }, Math.hypot));
    } else if (event.buttons === 0) {
      canvas.style.cursor = isOver(event) ? "move" : "";
    }
  });
  for (const type of ["pointerup", "pointercancel"]) canvas.addEventListener(type, () => { held = null; });

  // To the nearest place in a direction of the screen, if there is one.
  function step(right, down) {
    const found = best(onScreen(choose(null)), (x, y) => {
      const along = x * right + y * down, across = Math.abs(x * down - y * right);
      return along > 1 && across <= along ? along + across : Infinity;
    });
    if (found >= 0) choose(found);
  }
  return { isHeld: () => held !== null, step, onScreen };
}

// ---- The page ----

// Contacts over the frames, above the slider.
function drawChart(recording) {
  const canvas = element("chart");
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  const pen = canvas.getContext("2d");
  let most = 1;
  for (let frame = 0; frame < recording.frameCount; ++frame) {
    most = Math.max(most, contactCount(recording, frame));
  }
  pen.fillStyle = "rgba(255, 122, 69, 0.55)";
  const width = canvas.width / recording.frameCount;
  for (let frame = 0; frame < recording.frameCount; ++frame) {
    const height = canvas.height * contactCount(recording, frame) / most;
    pen.fillRect(frame * width, canvas.height - height, Math.max(1, width - 0.5), height);
  }
}

function addLights(scene, center, size) {
  scene.add(new THREE.HemisphereLight(0xdfe8f5, 0x30343c, 0.65));
  const sun = new THREE.DirectionalLight(0xffffff, 0.75);
  sun.position.copy(center).add(new THREE.Vector3(0.5 * size, -0.7 * size, 1.4 * size));
  sun.target.position.copy(center);
  sun.castShadow = true;
  sun.shadow.mapSize.set(2048, 2048);
  const reach = 0.8 * size;
  Object.assign(sun.shadow.camera, { left: -reach, right: reach, bottom: -reach, top: reach,
                                     near: 0.1 * size, far: 4 * size });
  sun.shadow.bias = -0.0008;
  scene.add(sun, sun.target);
}

function start() {
  const recording = readRecording();
  element("title").textContent = recording.title;
  element("note").textContent = recording.note;
  element("body-count").textContent = recording.bodies.length;

  const canvas = element("scene");
  const renderer = makeRenderer();
  const setGround = () => clearToGround(renderer);
  setGround();
  window.matchMedia("(prefers-color-scheme: light)").addEventListener("change", setGround);
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = THREE.PCFSoftShadowMap;

  const scene = new THREE.Scene();
  const bodies = makeBodies(recording, scene);
  bodies.show(0);
  const showMarks = recording.soft ? makeMarks(recording, scene) : null;
  element("marks-row").hidden = !recording.soft;
  element("touching-row").hidden = !recording.bodies.some(body => body.showsTouch);
  const box = recording.view ? new THREE.Box3(new THREE.Vector3(...recording.view.slice(0, 3)),
                                              new THREE.Vector3(...recording.view.slice(3))) : bodies.bounds();
  const center = box.getCenter(new THREE.Vector3());
  const size = box.getSize(new THREE.Vector3());
  if (recording.outlinesView) {
    const outline = new THREE.LineSegments(new THREE.EdgesGeometry(new THREE.BoxBufferGeometry(size.x, size.y, size.z)),
                                           new THREE.LineBasicMaterial({ color: 0x566072 }));
    outline.position.copy(center);
    scene.add(outline);
  }
  addLights(scene, center, size.length());
  const camera = new THREE.PerspectiveCamera(40, 1, 0.1, 1000);
  camera.up.set(0, 0, 1);
  let drag = null;
  orbit(camera, { target: center.clone(), distance: 1.2 * size.length(), azimuth: recording.azimuth, elevation: 0.45,
                  isTaken: () => drag !== null && drag.isHeld() });
  if (recording.soft && recording.soft.dragged) {
    drag = makeDrag(recording, camera, canvas, bodies.objects[recording.soft.dragged.body], frame => {
      if (frame === null) return shown;
      setPlaying(false);
      seek(frame);
      return frame;
    });
  }

  const slider = element("slider"), play = element("play"), speed = element("speed");
  slider.max = recording.frameCount - 1;
  let time = 0;  // in frames
  let isPlaying = true;
  let shown = -1;

  function setPlaying(on) {
    isPlaying = on;
    play.textContent = on ? "Pause" : "Play";
  }
  function seek(frame) {
    time = Math.max(0, Math.min(recording.frameCount - 1, frame));
  }
  function showFrame(frame) {
    if (frame === shown) return;
    shown = frame;
    slider.value = frame;
    element("touching-bodies").textContent = bodies.show(frame);
    element("touching-pairs").textContent = touchingPairCount(recording, frame);
    if (showMarks) {
      showMarks(frame);
      element("mark-count").textContent = markCount(recording, frame);
    }
    element("place").textContent = `${frame + 1} / ${recording.frameCount}`;
  }
  function resize() {
    fitWindow(renderer, camera);
    drawChart(recording);
  }

  play.addEventListener("click", () => setPlaying(!isPlaying));
  slider.addEventListener("input", () => { setPlaying(false); seek(Number(slider.value)); });
  window.addEventListener("keydown", event => {
    if (event.key === " " && event.target !== play) { event.preventDefault(); setPlaying(!isPlaying); }
    if (event.target === slider || event.target === speed) return;  // which have arrow keys of their own
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (drag && ways[event.key]) {
      drag.step(...ways[event.key]);
      return;
    }
    if (event.key === "ArrowRight") { setPlaying(false); seek(shown + 1); }
    if (event.key === "ArrowLeft") { setPlaying(false); seek(shown - 1); }
  });
  window.addEventListener("resize", resize);
  resize();

  let last = null;
  function tick(now) {
    const seconds = last === null ? 0 : Math.min(0.1, (now - last) / 1000);
    last = now;
    if (isPlaying) time = (time + seconds * Number(speed.value) / recording.secondsPerFrame) % recording.frameCount;
    showFrame(Math.floor(time));
    renderer.render(scene, camera);
    requestAnimationFrame(tick);
  }
  requestAnimationFrame(tick);
  // For tests.
  window.playgroundPage = { get shown() { return shown; }, gripOnScreen: frame => drag.onScreen(frame) };
}

run(start);
