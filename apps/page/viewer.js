"use strict";

// What the pages whose canvas fills the window share. z is up.

function element(id) {
  return document.getElementById(id);
}

function makeRenderer() {
  if (typeof THREE === "undefined") {
    throw new Error("the program was built without three.js, which draws the page; install libjs-three and build it again");
  }
  const renderer = new THREE.WebGLRenderer({ canvas: element("scene"), antialias: true });
  renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
  return renderer;
}

// The page's background is that of the scene, in the light and in the dark.
function clearToGround(renderer) {
  const ground = getComputedStyle(document.documentElement).getPropertyValue("--ground").trim();
  renderer.setClearColor(new THREE.Color(ground));
}

function fitWindow(renderer, camera) {
  renderer.setSize(window.innerWidth, window.innerHeight, false);
  camera.aspect = window.innerWidth / window.innerHeight;
  camera.updateProjectionMatrix();
}

// Drag to rotate around the target, drag with the right button or Shift to shift it, wheel to zoom. While `isTaken`,
// the pointer drags something else.
function orbit(camera, { target, distance, azimuth, elevation, isTaken = () => false, changed = () => {} }) {
  const canvas = element("scene");
  const closest = distance / 100, farthest = distance * 20;
  function update() {
    camera.position.set(target.x + distance * Math.cos(elevation) * Math.cos(azimuth),
                        target.y + distance * Math.cos(elevation) * Math.sin(azimuth),
                        target.z + distance * Math.sin(elevation));
    camera.near = distance / 100;
    camera.far = distance * 100;
    camera.updateProjectionMatrix();
    camera.lookAt(target);
    changed();
  }
  canvas.addEventListener("contextmenu", event => event.preventDefault());
  canvas.addEventListener("pointerdown", event => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener("pointermove", event => {
    if (event.buttons === 0 || isTaken()) return;
    if (event.buttons === 1 && !event.shiftKey) {
      azimuth -= 0.006 * event.movementX;
      elevation = Math.max(-1.5, Math.min(1.5, elevation + 0.006 * event.movementY));
    } else {
      const scale = 2 * distance * Math.tan(camera.fov * Math.PI / 360) / canvas.clientHeight;
      const right = new THREE.Vector3(1, 0, 0).applyQuaternion(camera.quaternion);
      const up = new THREE.Vector3(0, 1, 0).applyQuaternion(camera.quaternion);
      target.addScaledVector(right, -scale * event.movementX).addScaledVector(up, scale * event.movementY);
    }
    update();
  });
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    distance *= Math.exp(0.0012 * Math.max(-200, Math.min(200, event.deltaY)));
    distance = Math.max(closest, Math.min(farthest, distance));
    update();
  }, { passive: false });
  update();
}

// Runs the page. If it fails, says why.
function run(start) {
  try {
    start();
  } catch (error) {
    element("failure").hidden = false;
    element("failure").textContent = `This page cannot be drawn: ${error.message}`;
  }
}
