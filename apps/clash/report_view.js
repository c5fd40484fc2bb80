"use strict";

// The 3D view of the report: draws all parts, flies to a finding, reports what is under the pointer, renders pictures.
// Lengths are in the assembly's unit. Positions are kept relative to the scene's center in double precision. What is
// viewed closely (the two parts of a finding, its curve) is drawn as separate objects, whose matrices are double, too.

const partColors = { a: 0x3f8fdc, b: 0xf0a030 };
const curveColor = 0xff2f6d;
const creaseCosine = Math.cos(28 * Math.PI / 180);  // sharper edges are drawn as edges
const simplifiedCreaseCosine = Math.cos(60 * Math.PI / 180);  // simplified meshes have creases that the part does not have
const mostCornerFaces = 96;   // vertices with more faces get no smooth normal: it would take too long
const fieldOfView = 32;       // degrees, along the shorter side
const flightMilliseconds = 750;
const pictureScale = 2;       // pictures are drawn larger and then reduced, for smooth edges
const mostEdgeBatches = 3000; // beyond this, only the parts of a finding have edges

// ---- Reading ----

function bufferOf(id) {
  const element = document.getElementById(id);
  const text = atob(element.textContent);
  element.textContent = "";  // needed only once
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

// ---- Poses: twelve numbers, three rows of a matrix with the translation at the end of each ----

function rowsOf(numbers) {  // from a rotation, row by row, and a translation
  const [a, b, c, d, e, f, g, h, i, x, y, z] = numbers;
  return [a, b, c, x, d, e, f, y, g, h, i, z];
}

// The rotation about v by |v| radians (Rodrigues 1840), as nine numbers.
function rotationBy(v) {
  const angle = Math.hypot(v[0], v[1], v[2]);
  if (angle === 0) return [1, 0, 0, 0, 1, 0, 0, 0, 1];
  const [x, y, z] = v.map(part => part / angle);
  const c = Math.cos(angle), s = Math.sin(angle), k = 1 - c;
  return [c + k * x * x, k * x * y - s * z, k * x * z + s * y,
          k * x * y + s * z, c + k * y * y, k * y * z - s * x,
          k * x * z - s * y, k * y * z + s * x, c + k * z * z];
}

// The pose of a part at a time: on the screw motion between keyframes, at rest before and after them.
function poseAt(part, time) {
  const motion = part.motion;
  if (!motion || time === null) return part.pose;
  if (time <= motion[0].from) return rowsOf(motion[0].start);
  const way = motion.find(stretch => time <= stretch.to);
  if (!way) return rowsOf(motion[motion.length - 1].end);
  const t = (time - way.from) / (way.to - way.from);
  if (t === 1) return rowsOf(way.end);
  const turn = rotationBy(way.turn.map(part => t * part));
  const start = rowsOf(way.start);
  const result = new Array(12);
  for (let row = 0; row < 3; ++row) {
    for (let column = 0; column < 4; ++column) {
      let sum = column === 3 ? way.center[row] + t * way.by[row] : 0;
      for (let k = 0; k < 3; ++k) {
        sum += turn[3 * row + k] * (start[4 * k + column] - (column === 3 ? way.center[k] : 0));
      }
      result[4 * row + column] = sum;
    }
  }
  return result;
}

function placed(rows, point) {
  return [0, 4, 8].map(r => rows[r] * point[0] + rows[r + 1] * point[1] + rows[r + 2] * point[2] + rows[r + 3]);
}

// ---- Meshes to draw ----

// A surface with a normal at each corner (the mean over the adjacent faces that are not beyond a crease), and its
// edges: creases and borders.
function preparedMesh(vertices, triangles, edgeCosine = creaseCosine) {
  const count = triangles.length / 3, vertexCount = vertices.length / 3;
  const faces = new Float32Array(3 * count), lengths = new Float32Array(count);  // normals, whose length is twice the area
  const starts = new Uint32Array(vertexCount + 1);
  for (let face = 0; face < count; ++face) {
    const a = 3 * triangles[3 * face], b = 3 * triangles[3 * face + 1], c = 3 * triangles[3 * face + 2];
    const ux = vertices[b] - vertices[a], uy = vertices[b + 1] - vertices[a + 1], uz = vertices[b + 2] - vertices[a + 2];
    const vx = vertices[c] - vertices[a], vy = vertices[c + 1] - vertices[a + 1], vz = vertices[c + 2] - vertices[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    faces[3 * face] = x;
    faces[3 * face + 1] = y;
    faces[3 * face + 2] = z;
    lengths[face] = Math.sqrt(x * x + y * y + z * z);
    for (let k = 0; k < 3; ++k) ++starts[triangles[3 * face + k] + 1];
  }
  for (let i = 0; i < vertexCount; ++i) starts[i + 1] += starts[i];
  const around = new Uint32Array(3 * count), filled = starts.slice(0, vertexCount);
  for (let k = 0; k < triangles.length; ++k) around[filled[triangles[k]]++] = Math.floor(k / 3);
  const isWithin = (cosine, a, b) => faces[3 * a] * faces[3 * b] + faces[3 * a + 1] * faces[3 * b + 1] +
                                     faces[3 * a + 2] * faces[3 * b + 2] >= cosine * lengths[a] * lengths[b];

  const positions = new Float32Array(9 * count), normals = new Int8Array(12 * count);
  for (let k = 0; k < triangles.length; ++k) {
    const face = Math.floor(k / 3), vertex = triangles[k];
    let x = faces[3 * face], y = faces[3 * face + 1], z = faces[3 * face + 2];
    if (starts[vertex + 1] - starts[vertex] <= mostCornerFaces) {
      for (let at = starts[vertex]; at < starts[vertex + 1]; ++at) {
        const other = around[at];
        if (other === face || !isWithin(creaseCosine, face, other)) continue;
        x += faces[3 * other];
        y += faces[3 * other + 1];
        z += faces[3 * other + 2];
      }
    }
    const scale = 127 / (Math.sqrt(x * x + y * y + z * z) || 1);
    normals[4 * k] = Math.round(x * scale);
    normals[4 * k + 1] = Math.round(y * scale);
    normals[4 * k + 2] = Math.round(z * scale);
    positions.set(vertices.subarray(3 * vertex, 3 * vertex + 3), 3 * k);
  }
  return { positions, normals, edges: edgesOf(vertices, triangles, (a, b) => isWithin(edgeCosine, a, b)) };
}

// Returns pairs of ends. An edge between two faces is stored at its lower vertex until the second face is found.
function edgesOf(vertices, triangles, isSmooth) {
  const waiting = new Map();  // lower vertex -> [higher vertex, face, …]
  const found = [];
  const add = (a, b) => found.push(a, b);
  for (let k = 0; k < triangles.length; ++k) {
    const p = triangles[k], q = triangles[k % 3 === 2 ? k - 2 : k + 1];
    const low = Math.min(p, q), high = Math.max(p, q), face = Math.floor(k / 3);
    let list = waiting.get(low);
    if (!list) waiting.set(low, list = []);
    let at = list.length - 2;
    while (at >= 0 && list[at] !== high) at -= 2;
    if (at < 0) {
      list.push(high, face);
      continue;
    }
    if (!isSmooth(face, list[at + 1])) add(low, high);
    list[at] = list[list.length - 2];
    list[at + 1] = list[list.length - 1];
    list.length -= 2;
  }
  for (const [low, list] of waiting) {
    for (let at = 0; at < list.length; at += 2) add(low, list[at]);
  }
  const ends = new Float32Array(3 * found.length);
  found.forEach((vertex, i) => ends.set(vertices.subarray(3 * vertex, 3 * vertex + 3), 3 * i));
  return ends;
}

function unitBox() {
  const vertices = new Float32Array(24);
  for (let i = 0; i < 8; ++i) vertices.set([(i & 1) - 0.5, (i >> 1 & 1) - 0.5, (i >> 2) - 0.5], 3 * i);
  return preparedMesh(vertices, Uint16Array.from([0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3,
                                                  0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5]));
}

// ---- Shaders ----

// Each instance has its own pose.
const placing = `
  #ifdef INSTANCED
  attribute vec4 row0, row1, row2;
  vec3 placed(vec4 v) { return vec3(dot(row0, v), dot(row1, v), dot(row2, v)); }
  #else
  vec3 placed(vec4 v) { return v.xyz; }
  #endif`;

const surfaceVertex = placing + `
  #ifdef INSTANCED
  attribute vec3 tint, code;
  #else
  uniform vec3 tint, code;
  #endif
  varying vec3 vNormal, vEye, vTint;
  void main() {
    vec4 eye = modelViewMatrix * vec4(placed(vec4(position, 1.0)), 1.0);
    vNormal = normalMatrix * placed(vec4(normal, 0.0));
    vEye = eye.xyz;
    #ifdef CODES
    vTint = code;
    #else
    vTint = tint;
    #endif
    gl_Position = projectionMatrix * eye;
  }`;

// Faded surfaces between the eye and the focus are faded more: the factor is 1 at the focus and small in front of it.
const behindFunction = `
  uniform float clearing;
  float behind(float distance_) {
    return clearing > 0.0 ? mix(0.12, 1.0, smoothstep(0.55, 1.0, distance_ / clearing)) : 1.0;
  }`;

// Two lights that move with the eye, plus sky and ground. `glass` goes from 0, a solid surface, to 1, a surface that
// shows only its outline. `body` is how much of the middle of a glass surface remains.
const surfaceFragment = behindFunction + `
  uniform float glass, body;
  uniform vec3 sky;
  varying vec3 vNormal, vEye, vTint;
  void main() {
    #ifdef CODES
    gl_FragColor = vec4(vTint, 1.0);
    #else
    vec3 n = normalize(vNormal);
    vec3 v = normalize(-vEye);
    if (!gl_FrontFacing) n = -n;
    float facing = abs(dot(n, v));
    float key = max(dot(n, normalize(vec3(0.45, 0.65, 0.75))), 0.0);
    float fill = max(dot(n, normalize(vec3(-0.75, 0.1, 0.5))), 0.0);
    float above = 0.5 + 0.5 * dot(n, sky);
    vec3 light = mix(vec3(0.50, 0.49, 0.50), vec3(0.62, 0.63, 0.65), above) + 0.34 * key + 0.12 * fill;
    vec3 halfway = normalize(v + normalize(vec3(0.45, 0.65, 0.75)));
    float shine = 0.16 * pow(max(dot(n, halfway), 0.0), 36.0);
    vec3 color = vTint * light + shine;
    color = mix(color, vTint * 1.05, 0.35 * glass);
    float rim = pow(1.0 - facing, 2.2);
    gl_FragColor = vec4(color, mix(1.0, (body + 0.4 * rim * (0.18 + body)) * behind(-vEye.z), glass));
    #endif
  }`;

const edgeVertex = placing + `
  varying float vDistance;
  void main() {
    vec4 eye = modelViewMatrix * vec4(placed(vec4(position, 1.0)), 1.0);
    vDistance = -eye.z;
    gl_Position = projectionMatrix * eye;
  }`;

const edgeFragment = behindFunction + `
  uniform vec3 color;
  uniform float opacity;
  varying float vDistance;
  void main() { gl_FragColor = vec4(color, opacity * behind(vDistance)); }`;

const strokeFragment = `
  uniform vec3 color;
  uniform float opacity, width;
  varying vec2 vRound;
  void main() {
    float cover = 1.0 - smoothstep(1.0 - 1.0 / width, 1.0, length(vRound));
    gl_FragColor = vec4(color, opacity * cover);
  }`;

// Draws segments as strips that are `width` pixels wide to each side. A segment of zero length is a dot.
const strokeVertex = `
  attribute vec3 from, to;
  uniform vec2 resolution;
  uniform float width;
  varying vec2 vRound;
  void main() {
    vec4 a = projectionMatrix * modelViewMatrix * vec4(from, 1.0);
    vec4 b = projectionMatrix * modelViewMatrix * vec4(to, 1.0);
    float least = 1e-6 * max(a.w, b.w);  // an end behind the eye is moved in front of it
    if (a.w < least) a = mix(a, b, (least - a.w) / (b.w - a.w));
    else if (b.w < least) b = mix(b, a, (least - b.w) / (a.w - b.w));
    vec2 way = (b.xy / b.w - a.xy / a.w) * resolution;
    float length_ = length(way);
    vec2 along = length_ > 1e-6 ? way / length_ : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    vec4 end = position.x < 0.5 ? a : b;
    bool isDot = length_ <= 1e-6;
    vRound = isDot ? vec2(2.0 * position.x - 1.0, position.y) : vec2(0.0);
    vec2 offset = width * (across * position.y + along * (position.x - 0.5) * (isDot ? 2.0 : 0.8));
    end.xy += offset / resolution * end.w;
    gl_Position = end;
  }`;

// A circle, a diamond, a square or a triangle with a ring: the signs of the four kinds.
const markVertex = `
  attribute float sign;
  attribute vec3 tint;
  uniform float size;
  varying float vSign;
  varying vec3 vTint;
  void main() {
    vSign = sign;
    vTint = tint;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_PointSize = size;
  }`;
const markFragment = `
  uniform vec3 ring;
  uniform float size;
  varying float vSign;
  varying vec3 vTint;
  void main() {
    vec2 p = (gl_PointCoord - 0.5) * 2.0;
    float reach;
    if (vSign < 0.5) reach = (abs(p.x) + abs(p.y)) * 0.98;
    else if (vSign < 1.5) reach = max(abs(p.x), abs(p.y)) * 1.25;
    else if (vSign < 2.5) reach = max(abs(p.x) * 0.9 - (p.y - 0.75) * 0.52 - 0.26, p.y * 1.3 + 0.05);
    else reach = length(p) * 1.12;
    float soft = 2.4 / size;
    float shape = 1.0 - smoothstep(1.0 - soft, 1.0, reach);
    if (shape <= 0.0) discard;
    float inner = 1.0 - smoothstep(0.68 - soft, 0.68, reach);
    gl_FragColor = vec4(mix(ring, vTint, inner), shape);
  }`;

// ---- The view ----

// hooks: hovered(part or null, x, y, finding), clicked(part or null), clickedFinding(number), moved() after every drawn
// frame, freeSpace() returns how many CSS pixels at the top and bottom are covered.
function createView(canvas, report, hooks) {
  const renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
  renderer.setClearColor(0x000000, 0);
  renderer.sortObjects = true;
  const scene = new THREE.Scene(), camera = new THREE.PerspectiveCamera(fieldOfView, 1, 0.1, 1000);
  const surfaces = new THREE.Group(), lines = new THREE.Group(), overlay = new THREE.Group();
  scene.add(surfaces, lines, overlay);
  scene.autoUpdate = true;
  const resolution = new THREE.Vector2(1, 1);
  const shared = { sky: { value: new THREE.Vector3(0, 0, 1) }, clearing: { value: 0 } };
  const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");

  // -- Geometry of the meshes, shared by all objects that draw them --
  const boxShape = shapeOf(unitBox());
  const meshes = report.meshes.map(({ center, ...about }, number) => {
    if (about.box) return { center, scale: about.box, shape: boxShape };
    const buffer = bufferOf(`mesh-${number}`);
    const Index = about.vertices > 65536 ? Uint32Array : Uint16Array;
    const vertices = new Float32Array(buffer, 0, 3 * about.vertices);
    const triangles = new Index(buffer, 12 * about.vertices, 3 * about.triangles);
    const shape = shapeOf(preparedMesh(vertices, triangles, about.detail ? simplifiedCreaseCosine : creaseCosine));
    return { center, scale: [1, 1, 1], shape };
  });
  function shapeOf({ positions, normals, edges }) {
    const half = [0, 0, 0];
    positions.forEach((x, i) => { half[i % 3] = Math.max(half[i % 3], Math.abs(x)); });
    return { half, position: new THREE.BufferAttribute(positions, 3), normal: new THREE.BufferAttribute(normals, 4, true),
             edge: new THREE.BufferAttribute(edges, 3) };
  }
  function geometryOf(attributes, instances) {
    const geometry = instances ? new THREE.InstancedBufferGeometry() : new THREE.BufferGeometry();
    if (instances) geometry.maxInstancedCount = instances;
    for (const [name, attribute] of Object.entries(attributes)) geometry.setAttribute(name, attribute);
    return geometry;
  }
  // An object that is always drawn, after those of a lower order.
  function drawable(Kind, geometry, material, order) {
    const object = new Kind(geometry, material);
    object.frustumCulled = false;
    object.renderOrder = order;
    return object;
  }

  // -- Poses and bounds --
  const parts = report.parts;
  const poseNumbers = new Float64Array(bufferOf("poses"));
  parts.forEach((part, number) => { part.pose = poseNumbers.subarray(12 * number, 12 * number + 12); });

  function boxOf(part, rows) {
    const { center, scale, shape } = meshes[part.mesh], middle = placed(rows, center);
    const half = shape.half.map((x, k) => x * scale[k]);
    const reach = [0, 4, 8].map(r => Math.abs(rows[r]) * half[0] + Math.abs(rows[r + 1]) * half[1] +
                                     Math.abs(rows[r + 2]) * half[2]);
    return { lower: middle.map((m, k) => m - reach[k]), upper: middle.map((m, k) => m + reach[k]) };
  }
  const partBoxes = parts.map(part => boxOf(part, part.pose));
  const bounds = { lower: [Infinity, Infinity, Infinity], upper: [-Infinity, -Infinity, -Infinity] };
  function include(box) {
    for (let k = 0; k < 3; ++k) {
      bounds.lower[k] = Math.min(bounds.lower[k], box.lower[k]);
      bounds.upper[k] = Math.max(bounds.upper[k], box.upper[k]);
    }
  }
  partBoxes.forEach(include);
  for (const part of parts) {
    for (const stretch of part.motion || []) include(boxOf(part, rowsOf(stretch.end)));
  }
  if (parts.length === 0) include({ lower: [-1, -1, -1], upper: [1, 1, 1] });
  const centerOf = box => box.lower.map((low, k) => (low + box.upper[k]) / 2);
  const radiusOf = box => Math.hypot(...box.upper.map((high, k) => high - box.lower[k])) / 2;
  const origin = centerOf(bounds), sceneRadius = Math.max(1e-12, radiusOf(bounds));
  const toScene = point => point.map((part, k) => part - origin[k]);

  // Parts that contain many others, such as a housing, are drawn as glass in the overview. Only the largest can be.
  const shells = new Set();
  {
    const volume = box => box.upper.reduce((product, high, k) => product * (high - box.lower[k]), 1);
    const middle = partBoxes.map(centerOf);
    const largest = [...parts.keys()].sort((a, b) => volume(partBoxes[b]) - volume(partBoxes[a])).slice(0, 24);
    for (const i of largest) {
      const box = partBoxes[i];
      const held = middle.filter((m, j) => m.every((x, k) => box.lower[k] < x && x < box.upper[k]) &&
                                           volume(partBoxes[j]) < 0.6 * volume(box));
      if (parts.length > 4 && held.length >= 0.3 * (parts.length - 1)) shells.add(i);
    }
  }

  // -- Colors --
  const palette = [0x9fadbb, 0xbcae94, 0x94ad9e, 0xad9fb3, 0x92a9c2, 0xbda299, 0xa9ad90, 0x9bb0b3].map(hex =>
    new THREE.Color(hex));
  function colorOf(part) {
    const text = part.group || part.name.replace(/[\d._\-\s#]+$/, "");
    let hash = 7;
    for (let i = 0; i < text.length; ++i) hash = (hash * 31 + text.charCodeAt(i)) % 65521;
    return palette[hash % palette.length];
  }
  const codeOf = number => [(number + 1 & 255) / 255, ((number + 1) >> 8 & 255) / 255, ((number + 1) >> 16 & 255) / 255];

  // -- Materials --
  function surfaceMaterial(options) {
    const { defines = {}, glass = 0, body = 0.05, tint = 0xffffff, code = [0, 0, 0], clearing = { value: 0 } } = options;
    return new THREE.ShaderMaterial({
      vertexShader: surfaceVertex, fragmentShader: surfaceFragment, defines, side: THREE.DoubleSide,
      uniforms: { glass: { value: glass }, body: { value: body }, sky: shared.sky, clearing,
                  tint: { value: new THREE.Color(tint) }, code: { value: new THREE.Vector3(...code) } },
      transparent: glass > 0, depthWrite: glass < 0.5,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
  }
  function edgeMaterial(defines, opacity, clearing = { value: 0 }) {
    return new THREE.ShaderMaterial({
      vertexShader: edgeVertex, fragmentShader: edgeFragment, defines, transparent: true, depthWrite: false,
      uniforms: { color: { value: new THREE.Color(0) }, opacity: { value: opacity }, clearing } });
  }
  const crowdMaterial = surfaceMaterial({ defines: { INSTANCED: 1 }, body: 0.035, clearing: shared.clearing });
  const crowdEdges = edgeMaterial({ INSTANCED: 1 }, 0.4, shared.clearing);
  const crowdCodes = surfaceMaterial({ defines: { INSTANCED: 1, CODES: 1 } });
  const soloEdges = edgeMaterial({}, 0.75), veilEdges = edgeMaterial({}, 0.5);

  // -- The crowd: all parts that are not in focus, one draw call per mesh --
  const batches = [], batchOf = new Array(parts.length), slotOf = new Uint32Array(parts.length);
  {
    const byShape = new Map();
    parts.forEach((part, number) => {
      const { shape } = meshes[part.mesh];
      if (!byShape.has(shape)) byShape.set(shape, []);
      byShape.get(shape).push(number);
    });
    for (const [shape, members] of byShape) {
      const count = members.length;
      const perPart = size => new THREE.InstancedBufferAttribute(new Float32Array(size * count), size);
      const rows = { row0: perPart(4), row1: perPart(4), row2: perPart(4) }, tint = perPart(3), code = perPart(3);
      const geometry = geometryOf({ position: shape.position, normal: shape.normal, tint, code, ...rows }, count);
      const object = drawable(THREE.Mesh, geometry, crowdMaterial, 2);
      const outline = drawable(THREE.LineSegments, geometryOf({ position: shape.edge, ...rows }, count), crowdEdges, 3);
      surfaces.add(object);
      if (byShape.size <= mostEdgeBatches && shape.edge.count > 0) lines.add(outline);
      const batch = { rows: Object.values(rows), object };
      batches.push(batch);
      members.forEach((number, slot) => {
        tint.array.set(colorOf(parts[number]).toArray(), 3 * slot);
        code.array.set(codeOf(number), 3 * slot);
        batchOf[number] = batch;
        slotOf[number] = slot;
      });
    }
  }

  // The matrix that places a part's mesh, which is stored relative to its own center, in the scene at a pose.
  function rowsInScene(part, rows) {
    const { center, scale } = meshes[part.mesh], middle = placed(rows, center);
    const result = [];
    for (let r = 0; r < 3; ++r) {
      for (let k = 0; k < 3; ++k) result.push(rows[4 * r + k] * scale[k]);
      result.push(middle[r] - origin[r]);
    }
    return result;
  }

  let time = null;
  const solos = new Map();  // part -> its separate object
  const movingParts = parts.flatMap((part, number) => part.motion ? [number] : []);
  function placeInCrowd(numbers) {
    for (const number of numbers) {
      const { rows } = batchOf[number], slot = slotOf[number], part = parts[number];
      // A part that has a separate object is scaled to zero here.
      const matrix = solos.has(number) ? null : rowsInScene(part, poseAt(part, time));
      rows.forEach((attribute, r) => {
        for (let k = 0; k < 4; ++k) attribute.array[4 * slot + k] = matrix ? matrix[4 * r + k] : 0;
        attribute.needsUpdate = true;
      });
    }
  }

  // -- Separate objects --
  function placeObject(object, part, rows) {
    object.matrix.set(...rowsInScene(part, rows), 0, 0, 0, 1);
  }
  function makeSolo(number, look) {
    const { position, normal, edge } = meshes[parts[number].mesh].shape, code = codeOf(number);
    const object = drawable(THREE.Mesh, geometryOf({ position, normal }), surfaceMaterial({ ...look, code }), look.glass ? 1 : 0);
    object.codes = surfaceMaterial({ defines: { CODES: 1 }, code });
    object.matrixAutoUpdate = false;
    if (edge.count > 0) {
      object.outline = drawable(THREE.LineSegments, geometryOf({ position: edge }), look.glass ? veilEdges : soloEdges, 3);
      object.add(object.outline);
    }
    return object;
  }
  function disposeSolo(object) {
    // The attributes are shared, so only this object's own resources are freed.
    object.material.dispose();
    object.codes.dispose();
  }
  function setSolos(looks) {  // part -> look
    const before = [...solos.keys()];
    for (const object of solos.values()) {
      surfaces.remove(object);
      disposeSolo(object);
    }
    solos.clear();
    for (const [number, look] of looks) {
      const object = makeSolo(number, look);
      solos.set(number, object);
      surfaces.add(object);
    }
    placeInCrowd([...before, ...looks.keys()]);
    placeSolos();
  }
  function placeSolos() {
    for (const [number, object] of solos) placeObject(object, parts[number], poseAt(parts[number], time));
  }

  // -- Drawn on top of everything: curve, gap, arrow --
  function stroke(order, segments, color, width, opacity = 1) {
    const corners = new Float32Array([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, -1, 0, 1, 1, 0, 0, 1, 0]);
    const buffer = new THREE.InstancedInterleavedBuffer(new Float32Array(segments), 6);
    const geometry = geometryOf({ position: new THREE.BufferAttribute(corners, 3),
                                  from: new THREE.InterleavedBufferAttribute(buffer, 3, 0),
                                  to: new THREE.InterleavedBufferAttribute(buffer, 3, 3) }, segments.length / 6);
    const material = new THREE.ShaderMaterial({
      vertexShader: strokeVertex, fragmentShader: strokeFragment, transparent: true, depthTest: false, depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: { resolution: { value: resolution }, width: { value: width },
                  color: { value: new THREE.Color(color) }, opacity: { value: opacity } } });
    return drawable(THREE.Mesh, geometry, material, order);
  }
  const curvePoints = new Float32Array(bufferOf("curves"));
  let curveStart = 0;
  for (const finding of report.findings) {
    finding.curveStart = curveStart;
    for (const count of finding.curve) curveStart += Math.abs(count);
  }
  function curveSegments(finding) {
    const segments = [];
    let at = finding.curveStart;
    for (const signed of finding.curve) {
      const count = Math.abs(signed), point = i => curvePoints.subarray(3 * (at + i), 3 * (at + i) + 3);
      for (let i = 0; i + 1 < count; ++i) segments.push(...point(i), ...point(i + 1));
      if (signed < 0 && count > 1) segments.push(...point(count - 1), ...point(0));
      if (count === 1) segments.push(...point(0), ...point(0));
      at += count;
    }
    return segments;
  }
  // The gap from a to b, or the path along which b leaves a: an arrow as long as the depth. If the ends of the overlap
  // are beside each other, as on flat faces, the arrow is at a's end.
  function lineOf(finding) {
    if (finding.distance || !finding.depth) return [finding.pointA, finding.pointB];
    const depth = (finding.depth[0] + (finding.depth[1] === null ? finding.depth[0] : finding.depth[1])) / 2;
    const tail = finding.pointA.map((part, k) => part - depth * finding.normal[k]);
    const aside = Math.hypot(...tail.map((part, k) => part - finding.pointB[k]));
    return [aside <= 0.2 * depth ? finding.pointB : tail, finding.pointA];
  }
  // The marks of a finding, relative to its position, for a canvas with `scale` device pixels per CSS pixel.
  function makeMarks(finding, isDark, scale) {
    const group = new THREE.Group();
    const put = (...options) => group.add(stroke(...options));
    const halo = isDark ? 0x0b0d10 : 0xffffff;
    const segments = curveSegments(finding);
    if (segments.length > 0) {
      // For a contact, these are many chords of the common area.
      const width = finding.kind === "contact" ? 0.8 : 2;
      if (width > 1) put(10, segments, halo, 1.8 * width * scale, 0.85);
      put(11, segments, curveColor, width * scale);
    }
    const local = point => point.map((part, k) => part - finding.position[k]);
    const ink = isDark ? 0xffffff : 0x10151c;
    const [from, to] = lineOf(finding).map(local);
    const length = Math.hypot(...to.map((part, k) => part - from[k]));
    if (length > 0) {
      put(12, [...from, ...to], halo, 3.2 * scale, 0.9);
      put(13, [...from, ...to], ink, 1.4 * scale);
    }
    if (length > 0 && finding.distance) {
      put(12, [...from, ...from, ...to, ...to], halo, 6.5 * scale, 0.9);
      put(14, [...from, ...from], partColors.a, 5 * scale);
      put(14, [...to, ...to], partColors.b, 5 * scale);
    } else if (length > 0) {
      // The arrow's head is 14 pixels long at any distance, but never longer than the arrow.
      const head = new THREE.Mesh(new THREE.ConeBufferGeometry(0.32, 1, 24).translate(0, -0.5, 0),
                                  new THREE.MeshBasicMaterial({ color: ink, depthTest: false, transparent: true }));
      head.position.set(...to);
      head.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0),
                                         new THREE.Vector3(...to.map((part, k) => (part - from[k]) / length)));
      head.arrowLength = length;
      head.renderOrder = 15;
      group.arrowHead = head;
      group.add(head);
    } else {
      put(12, [...from, ...from], halo, 8 * scale, 0.9);
      put(13, [...from, ...from], curveColor, 6 * scale);
    }
    group.position.set(...toScene(finding.position));
    return group;
  }
  function disposeMarks(group) {
    group.traverse(object => {
      if (object.geometry) object.geometry.dispose();
      if (object.material) object.material.dispose();
    });
  }
  function sizeArrow(group, eye, height) {
    if (!group.arrowHead) return;
    const distance = eye.position.distanceTo(group.position);
    const pixel = 2 * distance * Math.tan(eye.fov * Math.PI / 360) / height;
    group.arrowHead.scale.setScalar(Math.min(14 * pixel, 0.6 * group.arrowHead.arrowLength));
  }

  // -- Signs of all findings, in the overview --
  const signs = drawable(THREE.Points, new THREE.BufferGeometry(), new THREE.ShaderMaterial({
    vertexShader: markVertex, fragmentShader: markFragment, transparent: true, depthTest: false, depthWrite: false,
    uniforms: { size: { value: 18 }, ring: { value: new THREE.Color(0xffffff) } } }), 20);
  overlay.add(signs);
  let signed = [];
  function setSigns(numbers, signOf, tintOf) {
    signed = numbers;
    // The worst comes last, so that it is drawn over the others.
    const order = [...numbers].reverse().map(number => report.findings[number]);
    const attribute = (size, of) => new THREE.BufferAttribute(Float32Array.from(order.flatMap(of)), size);
    signs.geometry.dispose();
    signs.geometry = geometryOf({ position: attribute(3, finding => toScene(finding.position)), sign: attribute(1, signOf),
                                  tint: attribute(3, finding => new THREE.Color(tintOf(finding)).toArray()) });
    draw();
  }
  function signAt(x, y) {
    if (!signs.visible) return null;
    let best = null, nearest = 12;
    for (const number of signed) {
      const at = project(report.findings[number].position);
      if (!at) continue;
      const distance = Math.hypot(at.x - x, at.y - y);
      if (distance < nearest) {
        nearest = distance;
        best = number;
      }
    }
    return best;
  }

  // -- The eye: looks at `target` from `distance`, azimuth about the up axis, elevation above the ground --
  const eye = { target: [0, 0, 0], distance: 3 * sceneRadius, azimuth: -0.96, elevation: 0.49 };
  let up = report.up === "y" ? "y" : "z";
  let flight = null;
  function towardEye(azimuth, elevation) {
    const c = Math.cos(elevation), s = Math.sin(elevation);
    return up === "z" ? [c * Math.cos(azimuth), c * Math.sin(azimuth), s]
                      : [c * Math.cos(azimuth), s, -c * Math.sin(azimuth)];
  }
  function anglesOf(direction) {
    const [x, y, z] = direction;
    return up === "z" ? { azimuth: Math.atan2(y, x), elevation: Math.asin(Math.max(-1, Math.min(1, z))) }
                      : { azimuth: Math.atan2(-z, x), elevation: Math.asin(Math.max(-1, Math.min(1, y))) };
  }
  const halfAngle = fieldOfView * Math.PI / 360;
  const distanceFor = radius => radius / Math.sin(halfAngle);
  const upVector = () => new THREE.Vector3(0, up === "y" ? 1 : 0, up === "z" ? 1 : 0);
  // Looks at the target from a distance in a direction. rangeOf(distance of the eye from the scene's center) returns
  // the nearest and the farthest depth that is drawn.
  function aim(camera, target, distance, direction, rangeOf) {
    camera.up.copy(upVector());
    camera.position.set(...target.map((part, k) => part + distance * direction[k]));
    camera.lookAt(...target);
    [camera.near, camera.far] = rangeOf(camera.position.length());
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    shared.sky.value.copy(camera.up).transformDirection(camera.matrixWorldInverse);
  }
  function placeCamera() {
    const size = renderer.getSize(new THREE.Vector2());
    camera.aspect = size.x / Math.max(1, size.y);
    // The field of view is that of the shorter side.
    camera.fov = camera.aspect >= 1 ? fieldOfView : 2 * Math.atan(Math.tan(halfAngle) / camera.aspect) * 180 / Math.PI;
    aim(camera, eye.target, eye.distance, towardEye(eye.azimuth, eye.elevation), out => {
      const far = Math.max(out + 1.05 * sceneRadius, 2 * eye.distance);
      return [Math.max(out - 1.05 * sceneRadius, 0.02 * eye.distance, far * 1e-6), far];
    });
  }
  function flyTo(goal, isImmediate) {
    const from = { ...eye, target: [...eye.target] };
    const turn = Math.atan2(Math.sin(goal.azimuth - from.azimuth), Math.cos(goal.azimuth - from.azimuth));
    const to = { ...goal, azimuth: from.azimuth + turn };
    if (isImmediate || reducedMotion.matches) {
      Object.assign(eye, to);
      flight = null;
    } else {
      flight = { from, to, start: null };
    }
    draw();
  }
  function stopFlight() { flight = null; }
  function continueFlight(now) {
    if (!flight) return;
    if (flight.start === null) flight.start = now;
    const { from, to } = flight;
    const t = Math.min(1, (now - flight.start) / flightMilliseconds);
    const s = t * t * t * (t * (6 * t - 15) + 10);  // starts and ends smoothly
    // A long flight moves away in between, so that the user sees where it goes.
    const way = Math.hypot(...to.target.map((part, k) => part - from.target[k]));
    const hill = Math.min(1.2, 0.5 * way / Math.max(from.distance, to.distance)) * Math.sin(Math.PI * s);
    eye.target = from.target.map((part, k) => part + s * (to.target[k] - part));
    eye.distance = Math.exp((1 - s) * Math.log(from.distance) + s * Math.log(to.distance)) * (1 + hill);
    eye.azimuth = from.azimuth + s * (to.azimuth - from.azimuth);
    eye.elevation = from.elevation + s * (to.elevation - from.elevation);
    if (t < 1) draw();
    else flight = null;
  }
  // Shows all parts in the free part of the view, as large as possible. A point x, y, z in the eye's axes is visible
  // from a distance d, with the eye in front of cx, cy, if |x - cx| <= (d - z) tan. That gives bounds on cx and cy that
  // are linear in d.
  function overviewGoal() {
    const angles = { azimuth: -0.96, elevation: 0.44 };
    const direction = new THREE.Vector3(...towardEye(angles.azimuth, angles.elevation));
    const right = upVector().cross(direction).normalize();
    const above = direction.clone().cross(right);
    const width = Math.max(1, canvas.clientWidth), height = Math.max(1, canvas.clientHeight);
    const half = Math.tan(halfAngle), tanX = half * Math.max(1, width / height);
    const tanY = half * Math.max(1, height / width), free = hooks.freeSpace();
    const slopeX = 0.94 * tanX;
    const slopeUp = tanY * Math.max(0.2, 1 - 2 * free.top / height), slopeDown = tanY * Math.max(0.2, 1 - 2 * free.bottom / height);
    let left = Infinity, rightmost = -Infinity, low = Infinity, high = -Infinity;
    const boxes = parts.length > 20000 ? [bounds] : partBoxes;
    for (const box of boxes) {
      for (let corner = 0; corner < 8; ++corner) {
        const p = new THREE.Vector3(...[0, 1, 2].map(k => (corner >> k & 1 ? box.upper[k] : box.lower[k]) - origin[k]));
        const x = p.dot(right), y = p.dot(above), z = p.dot(direction);
        rightmost = Math.max(rightmost, x + z * slopeX);
        left = Math.min(left, x - z * slopeX);
        high = Math.max(high, y + z * slopeUp);
        low = Math.min(low, y - z * slopeDown);
      }
    }
    if (!(rightmost > left)) return { target: [0, 0, 0], distance: distanceFor(sceneRadius), ...angles };
    const distance = Math.max((rightmost - left) / (2 * slopeX), (high - low) / (slopeUp + slopeDown), 1e-9 * sceneRadius);
    const cx = (rightmost + left) / 2, cy = (high - distance * slopeUp + low + distance * slopeDown) / 2;
    return { target: right.multiplyScalar(cx).addScaledVector(above, cy).toArray(), distance, ...angles };
  }
  function goalOf(finding) {
    return { target: toScene(finding.position), distance: distanceFor(finding.view.radius),
             ...anglesOf(finding.view.towardEye) };
  }
  function partGoal(number) {
    const box = boxOf(parts[number], poseAt(parts[number], time));
    return { target: toScene(centerOf(box)), distance: distanceFor(Math.max(radiusOf(box), 1e-9)),
             azimuth: eye.azimuth, elevation: eye.elevation };
  }
  function shift(dx, dy) {  // CSS pixels
    const pixel = 2 * eye.distance * Math.tan(camera.fov * Math.PI / 360) / Math.max(1, canvas.clientHeight);
    const right = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    const above = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 1);
    eye.target = eye.target.map((part, k) =>
      part - pixel * dx * right.getComponent(k) + pixel * dy * above.getComponent(k));
  }
  function turnBy(azimuth, elevation) {
    stopFlight();
    eye.azimuth += azimuth;
    eye.elevation = Math.max(-1.55, Math.min(1.55, eye.elevation + elevation));
    draw();
  }
  // Keeps in place what is under x, y (CSS pixels from the canvas's corner) at the target's depth.
  function zoomBy(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
    stopFlight();
    const before = eye.distance;
    eye.distance = Math.max(1e-7 * sceneRadius, Math.min(40 * sceneRadius, before * factor));
    const dx = x - canvas.clientWidth / 2, dy = y - canvas.clientHeight / 2, kept = eye.distance / before;
    eye.distance = before;
    shift(dx * (kept - 1), dy * (kept - 1));
    eye.distance = before * kept;
    draw();
  }

  // -- Drawing, only when something has changed --
  let isDrawAsked = false, pixelRatio = 1, isLost = false;
  const beforeFrame = [];
  function draw() {
    if (isDrawAsked) return;
    isDrawAsked = true;
    requestAnimationFrame(now => {
      isDrawAsked = false;
      continueFlight(now);
      for (const step of beforeFrame) step(now);
      drawNow();
    });
  }
  function drawNow() {
    if (isLost || canvas.clientWidth === 0) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const size = renderer.getSize(new THREE.Vector2());
    if (ratio !== pixelRatio || size.x !== canvas.clientWidth || size.y !== canvas.clientHeight) {
      pixelRatio = ratio;
      renderer.setPixelRatio(ratio);
      renderer.setSize(canvas.clientWidth, canvas.clientHeight, false);
    }
    renderer.getDrawingBufferSize(resolution);
    signs.material.uniforms.size.value = (canvas.clientWidth < 500 ? 15 : 19) * ratio;
    placeCamera();
    shared.clearing.value = focus.finding ? eye.distance : 0;
    if (focus.marks) sizeArrow(focus.marks, camera, canvas.clientHeight);
    renderer.render(scene, camera);
    hooks.moved();
  }
  // Projects a world point to CSS pixels from the canvas's corner. Null if it is behind the eye.
  function project(point) {
    const p = new THREE.Vector3(...toScene(point)).project(camera);
    if (p.z > 1 || p.z < -1) return null;
    return { x: (p.x + 1) / 2 * canvas.clientWidth, y: (1 - p.y) / 2 * canvas.clientHeight };
  }

  // -- The focus --
  const look = { edges: "edges", isRestHidden: false, isGlass: false, isDark: false };
  const focus = { finding: null, part: null, marks: null };
  const isFocused = () => focus.finding !== null || focus.part !== null;
  // The parts of a finding with their looks.
  function looksOf(finding) {
    const glassOf = side => finding.view.veil[side] ? { glass: 1, body: 0.24 } : {};
    return [[finding.a, { tint: partColors.a, ...glassOf(0) }], [finding.b, { tint: partColors.b, ...glassOf(1) }]];
  }
  function soloLooks() {
    if (focus.finding) return looksOf(focus.finding);
    if (focus.part !== null) return [[focus.part, { tint: partColors.a }]];
    if (look.isGlass) return [];
    return [...shells].map(number => [number, { tint: colorOf(parts[number]), glass: 1, body: 0.10 }]);
  }
  function applyLook() {
    const glass = isFocused() || look.isGlass ? 1 : 0;
    crowdMaterial.uniforms.glass.value = glass;
    crowdMaterial.uniforms.body.value = look.isGlass && !isFocused() ? 0.10 : 0.025;
    crowdMaterial.transparent = glass > 0;
    crowdMaterial.depthWrite = glass === 0;
    crowdEdges.uniforms.opacity.value = glass ? 0.07 : look.isDark ? 0.55 : 0.38;
    const isWire = look.edges === "wire", hasEdges = look.edges === "edges";
    crowdMaterial.wireframe = isWire && !glass;
    setSolos(new Map(soloLooks()));
    for (const object of solos.values()) {
      object.material.wireframe = isWire;
      if (object.outline) object.outline.visible = hasEdges;
    }
    const isRestShown = !(look.isRestHidden && isFocused());
    for (const batch of batches) batch.object.visible = isRestShown;
    lines.visible = hasEdges && isRestShown;
    const ink = look.isDark ? 0x05070a : 0x161c24;
    for (const material of [crowdEdges, soloEdges, veilEdges]) material.uniforms.color.value.setHex(ink);
    if (look.isDark) veilEdges.uniforms.color.value.setHex(0xc8d2de);
    if (look.isDark && glass) crowdEdges.uniforms.color.value.setHex(0xc8d2de);
    signs.material.uniforms.ring.value.setHex(look.isDark ? 0x0b0d10 : 0xffffff);
    signs.visible = focus.finding === null;
    if (focus.marks) {
      overlay.remove(focus.marks);
      disposeMarks(focus.marks);
      focus.marks = null;
    }
    if (focus.finding) {
      focus.marks = makeMarks(focus.finding, look.isDark, Math.min(2, window.devicePixelRatio || 1));
      overlay.add(focus.marks);
    }
    showMarks();
    draw();
  }
  // The marks of a moving pair are valid only at its own time.
  function areMarksRight() {
    const finding = focus.finding;
    if (!finding || time === null || !(parts[finding.a].motion || parts[finding.b].motion)) return true;
    if (!finding.time) return true;
    const range = report.timeRange[1] - report.timeRange[0];
    return Math.abs(time - finding.time[0]) <= 1e-3 * range;
  }
  function showMarks() {
    if (focus.marks) focus.marks.visible = areMarksRight();
  }
  function setFocus(finding, part, options = {}) {
    focus.finding = finding;
    focus.part = part;
    applyLook();
    if (!options.isStill) flyTo(finding ? goalOf(finding) : overviewGoal(), options.isImmediate);
  }
  function setTime(value) {
    time = value;
    placeInCrowd(movingParts);
    placeSolos();
    showMarks();
    draw();
  }

  // -- Picking: which part is at a position of the canvas --
  const pickTarget = new THREE.WebGLRenderTarget(1, 1);
  function pixelsOf(target, scene, camera) {
    const bytes = new Uint8Array(4 * target.width * target.height);
    renderer.setRenderTarget(target);
    renderer.clear();
    renderer.render(scene, camera);
    renderer.readRenderTargetPixels(target, 0, 0, target.width, target.height, bytes);
    renderer.setRenderTarget(null);
    return bytes;
  }
  // Returns what shows again those of the objects that were visible.
  function hide(objects) {
    const visible = objects.filter(object => object.visible);
    for (const object of visible) object.visible = false;
    return () => visible.forEach(object => { object.visible = true; });
  }
  function partAt(x, y) {
    if (isLost) return null;
    placeCamera();
    camera.setViewOffset(canvas.clientWidth, canvas.clientHeight, x, y, 1, 1);
    const separate = [...solos.values()], crowd = batches.map(batch => batch.object);
    const materials = separate.map(object => object.material);
    const showMarkings = hide([lines, overlay, ...separate.flatMap(object => object.outline || [])]);
    for (const object of separate) object.material = object.codes;
    for (const object of crowd) object.material = crowdCodes;
    const read = () => {
      const bytes = pixelsOf(pickTarget, scene, camera);
      return bytes[0] + 256 * bytes[1] + 65536 * bytes[2] - 1;
    };
    // Parts in focus take precedence over faded ones. Without a focus, picks through glass.
    const showRest = hide(isFocused() ? crowd : separate);
    let number = read();
    showRest();
    if (number < 0) number = read();
    separate.forEach((object, i) => { object.material = materials[i]; });
    for (const object of crowd) object.material = crowdMaterial;
    showMarkings();
    camera.clearViewOffset();
    return number >= 0 && number < parts.length ? number : null;
  }

  // -- Pointer, touch, wheel and keys --
  const pointers = new Map();
  let pressed = null, hoverAt = null;
  const localPoint = event => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  canvas.addEventListener("contextmenu", event => event.preventDefault());
  canvas.addEventListener("pointerdown", event => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, localPoint(event));
    pressed = pointers.size === 1 ? { ...localPoint(event), isClick: true } : null;
    hooks.hovered(null, 0, 0);
  });
  canvas.addEventListener("pointermove", event => {
    const at = localPoint(event), before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") askHover(at);
      return;
    }
    const dx = at.x - before.x, dy = at.y - before.y;
    if (pressed && Math.hypot(at.x - pressed.x, at.y - pressed.y) > 4) pressed.isClick = false;
    if (pointers.size === 1) {
      if (pressed && pressed.isClick) return;
      if (event.buttons === 1 && !event.shiftKey && !event.ctrlKey) {
        turnBy(-0.0065 * dx, 0.0065 * dy);
      } else {
        stopFlight();
        shift(dx, dy);
        draw();
      }
    } else if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const apart = Math.hypot(before.x - other.x, before.y - other.y);
      const nowApart = Math.hypot(at.x - other.x, at.y - other.y);
      stopFlight();
      shift(dx / 2, dy / 2);
      if (apart > 0 && nowApart > 0) zoomBy(apart / nowApart, (at.x + other.x) / 2, (at.y + other.y) / 2);
    }
    pointers.set(event.pointerId, at);
  });
  function release(event) {
    pointers.delete(event.pointerId);
    if (event.type === "pointerup" && pressed && pressed.isClick && event.button === 0) {
      const { x, y } = pressed, finding = signAt(x, y);
      if (finding !== null) hooks.clickedFinding(finding);
      else hooks.clicked(partAt(x, y));
    }
    pressed = null;
  }
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => {
    hoverAt = null;
    hooks.hovered(null, 0, 0);
  });
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    const at = localPoint(event), lines_ = event.deltaMode === 1 ? 16 : 1;
    zoomBy(Math.exp(0.0014 * Math.max(-240, Math.min(240, lines_ * event.deltaY))), at.x, at.y);
  }, { passive: false });
  canvas.addEventListener("keydown", event => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const ways = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const way = ways[event.key];
    if (way && event.shiftKey) {
      stopFlight();
      shift(32 * way[0], 32 * way[1]);
      draw();
    } else if (way) {
      turnBy(0.12 * way[0], 0.12 * way[1]);
    } else if (event.key === "+" || event.key === "=") {
      zoomBy(0.85);
    } else if (event.key === "-") {
      zoomBy(1 / 0.85);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  });
  function askHover(at) {
    const isAsked = hoverAt !== null;
    hoverAt = at;
    if (isAsked) return;
    requestAnimationFrame(() => {
      const place = hoverAt;
      hoverAt = null;
      if (!place || pointers.size > 0 || flight) return;
      const finding = signAt(place.x, place.y);
      hooks.hovered(finding === null ? partAt(place.x, place.y) : null, place.x, place.y, finding);
    });
  }
  canvas.addEventListener("webglcontextlost", event => {
    event.preventDefault();
    isLost = true;
  });
  canvas.addEventListener("webglcontextrestored", () => {
    isLost = false;
    draw();
  });
  new ResizeObserver(draw).observe(canvas);

  // -- Pictures for the list --
  const pictureScene = new THREE.Scene(), pictureCamera = new THREE.PerspectiveCamera(fieldOfView, 1, 0.1, 10);
  let pictureTarget = null;
  function drawPicture(finding, target2d) {
    if (isLost) return false;
    const width = target2d.width * pictureScale, height = target2d.height * pictureScale;
    if (!pictureTarget || pictureTarget.width !== width || pictureTarget.height !== height) {
      if (pictureTarget) pictureTarget.dispose();
      pictureTarget = new THREE.WebGLRenderTarget(width, height);
    }
    const poses = [finding.poseA, finding.poseB];
    const objects = looksOf(finding).map(([number, look], side) => {
      const object = makeSolo(number, look), pose = poses[side];
      placeObject(object, parts[number], pose ? rowsOf(pose) : parts[number].pose);
      pictureScene.add(object);
      return object;
    });
    const marks = makeMarks(finding, look.isDark, 1.6 * pictureScale);
    pictureScene.add(marks);
    const { target, distance: away } = goalOf(finding), distance = 0.92 * away;
    const sky = shared.sky.value.clone(), wasResolution = resolution.clone();
    pictureCamera.aspect = width / height;
    aim(pictureCamera, target, distance, finding.view.towardEye, () => [0.02 * distance, distance + 4 * sceneRadius]);
    sizeArrow(marks, pictureCamera, height / pictureScale);
    resolution.set(width, height);
    const bytes = pixelsOf(pictureTarget, pictureScene, pictureCamera);
    shared.sky.value.copy(sky);
    resolution.copy(wasResolution);
    for (const object of objects) {
      pictureScene.remove(object);
      disposeSolo(object);
    }
    pictureScene.remove(marks);
    disposeMarks(marks);

    // The rows are read from bottom to top, with premultiplied alpha.
    const image = new ImageData(width, height);
    for (let y = 0; y < height; ++y) {
      for (let x = 0; x < width; ++x) {
        const from = 4 * ((height - 1 - y) * width + x), to = 4 * (y * width + x), alpha = bytes[from + 3];
        for (let k = 0; k < 3; ++k) image.data[to + k] = alpha > 0 ? Math.min(255, bytes[from + k] * 255 / alpha) : 0;
        image.data[to + 3] = alpha;
      }
    }
    const large = document.createElement("canvas");
    large.width = width;
    large.height = height;
    large.getContext("2d").putImageData(image, 0, 0);
    const pen = target2d.getContext("2d");
    pen.clearRect(0, 0, target2d.width, target2d.height);
    pen.imageSmoothingQuality = "high";
    pen.drawImage(large, 0, 0, target2d.width, target2d.height);
    return true;
  }

  Object.assign(eye, overviewGoal());
  placeInCrowd(parts.keys());
  applyLook();

  return {
    draw, drawNow, drawPicture, lineOf, setFocus, setTime, setSigns, project, partAt, areMarksRight, zoomBy, turnBy, beforeFrame,
    shells,
    get isFlying() { return flight !== null; },
    get up() { return up; },
    setUp(axis) {
      const direction = towardEye(eye.azimuth, eye.elevation);
      up = axis;
      Object.assign(eye, anglesOf(direction));
      stopFlight();
      draw();
    },
    setLook(change) {
      Object.assign(look, change);
      applyLook();
    },
    look,
    fit() {
      flyTo(focus.finding ? goalOf(focus.finding) : focus.part !== null ? partGoal(focus.part) : overviewGoal());
    },
    // The world's axes as unit vectors in the eye's frame: right, up, toward the eye.
    axes() {
      const inverse = camera.matrixWorldInverse.elements;
      return [0, 1, 2].map(k => [inverse[4 * k], inverse[4 * k + 1], inverse[4 * k + 2]]);
    },
    camera() {
      return { target: eye.target.map((part, k) => part + origin[k]), distance: eye.distance,
               azimuth: eye.azimuth, elevation: eye.elevation };
    },
    // The matrix with which a part's mesh, relative to the center of its box, is drawn: three rows, in the world frame.
    partMatrix(number) {
      const slot = slotOf[number];
      const rows = solos.has(number)
        ? solos.get(number).matrix.clone().transpose().toArray().slice(0, 12)
        : batchOf[number].rows.flatMap(attribute => Array.from(attribute.array.subarray(4 * slot, 4 * slot + 4)));
      return rows.map((part, i) => i % 4 === 3 ? part + origin[(i - 3) / 4] : part);
    },
    // The number of pixels of the view that are not empty, and their mean color.
    pixels() {
      drawNow();
      const gl = renderer.getContext(), width = gl.drawingBufferWidth, height = gl.drawingBufferHeight;
      const bytes = new Uint8Array(4 * width * height);
      gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
      let drawn = 0;
      const sum = [0, 0, 0];
      for (let i = 0; i < bytes.length; i += 4) {
        if (bytes[i + 3] === 0) continue;
        ++drawn;
        for (let k = 0; k < 3; ++k) sum[k] += bytes[i + k];
      }
      return { drawn, all: width * height, mean: sum.map(part => part / Math.max(1, drawn)) };
    },
  };
}
