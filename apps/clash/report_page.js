"use strict";

// The report's page: header, list, filters and keys. It controls what the view shows.

const report = JSON.parse(document.getElementById("report").textContent);
const element = id => document.getElementById(id);

// Worst first. Each has a color and a shape.
const kinds = [
  { id: "clash", one: "clash", many: "clashes", shape: "M10 1 19 10 10 19 1 10z" },
  { id: "contained", one: "contained", many: "contained", shape: "M3 3h14v14H3z" },
  { id: "too_close", one: "too close", many: "too close", shape: "M10 2 19 18H1z" },
  { id: "contact", one: "contact", many: "contacts", shape: "M10 2a8 8 0 1 0 .01 0z" },
];
const kindNumber = Object.fromEntries(kinds.map((kind, number) => [kind.id, number]));
const rowsAtOnce = 300;       // more rows are added when the list is scrolled to its end
const secondsPerMotion = 8;

// ---- Small helpers: text from files is only ever inserted as text ----

function completed(node, options, children) {
  for (const [key, value] of Object.entries(options)) {
    if (key === "text") node.textContent = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}
const make = (tag, options, ...children) => completed(document.createElement(tag), options, children);
const makeSvg = (tag, options, ...children) =>
  completed(document.createElementNS("http://www.w3.org/2000/svg", tag), options, children);
const makeSign = kind => makeSvg("svg", { viewBox: "0 0 20 20", class: `sign ${kind}`, "aria-hidden": "true" },
                                 makeSvg("path", { d: kinds[kindNumber[kind]].shape }));
const section = (title, lines) => [make("h3", { text: title }), make("ul", {}, ...lines.map(text => make("li", { text })))];
const grouped = number => number.toLocaleString("en");
const counted = (number, one, many) => `${grouped(number)} ${number === 1 ? one : many}`;

function shortNumber(value, digits = 4) {
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  return size >= 1e-4 && size < 1e7 ? String(rounded) : rounded.toExponential().replace("e+", "e");
}
const withUnit = text => report.unit ? `${text}\u00a0${report.unit}` : text;

// Formats a number that is known to lie between two others: its value for display, and its uncertainty.
function boundsText([lower, upper]) {
  if (upper === null) return { value: `\u2265\u00a0${shortNumber(lower || 0)}`, error: "" };
  if (lower === null) return { value: `\u2264\u00a0${shortNumber(upper)}`, error: "" };
  const middle = (lower + upper) / 2, half = (upper - lower) / 2;
  if (half === 0) return { value: shortNumber(middle), error: "" };
  if (half <= 0.02 * Math.abs(middle)) return { value: shortNumber(middle), error: `\u00b1\u00a0${shortNumber(half, 1)}` };
  if (lower <= 0) return { value: `\u2264\u00a0${shortNumber(upper)}`, error: "" };
  return { value: `${shortNumber(lower, 3)}\u2009\u2013\u2009${shortNumber(upper, 3)}`, error: "" };
}
// Rounds to `digits` digits, down (way -1) or up (way 1).
function roundedTo(value, digits, way) {
  const rounded = Number(value.toPrecision(digits));
  if ((rounded - value) * way >= 0) return rounded;
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - digits + 1);
  return Number((rounded + way * step).toPrecision(digits));
}
// Rounded outward, with enough digits to tell the two bounds apart.
function exactBounds([lower, upper]) {
  const text = (value, digits, way) =>
    value === null ? (way < 0 ? "\u2212\u221e" : "\u221e") : shortNumber(roundedTo(value, digits, way), digits);
  let digits = 6;
  while (digits < 17 && lower !== null && upper !== null && lower !== upper &&
         lower.toPrecision(digits) === upper.toPrecision(digits)) ++digits;
  return `[${text(lower, digits, -1)}, ${text(upper, digits, 1)}]`;
}
const middleOf = ([lower, upper]) => upper === null ? lower : lower === null ? upper : (lower + upper) / 2;
function pointText(point) {
  const most = Math.max(...point.map(Math.abs));  // values that are rounding errors compared with it become 0
  return point.map(part => shortNumber(Math.abs(part) < 1e-12 * most ? 0 : part, 6)).join(", ");
}

// ---- Sorting and filtering the findings ----

const findings = report.findings;
findings.forEach((finding, number) => {
  finding.number = number;
  const names = [report.parts[finding.a], report.parts[finding.b]];
  finding.text = names.flatMap(part => [part.name, part.group || "", part.id || "", ...(part.path || [])]).join("\n").toLowerCase();
});

const orders = {
  worst: () => 0,
  kind: (a, b) => kindNumber[a.kind] - kindNumber[b.kind],
  depth: (a, b) => depthOf(b) - depthOf(a),
  distance: (a, b) => distanceOf(a) - distanceOf(b),
  parts: (a, b) => compareNames(report.parts[a.a].name, report.parts[b.a].name) ||
                   compareNames(report.parts[a.b].name, report.parts[b.b].name),
  time: (a, b) => timeOf(a) - timeOf(b) || 0,
  triangles: (a, b) => b.triangles - a.triangles,
};
// Findings without a depth, a distance or a time come last.
const depthOf = finding => finding.depth ? middleOf(finding.depth) : -Number.MAX_VALUE;
const distanceOf = finding => finding.distance ? middleOf(finding.distance) : Number.MAX_VALUE;
const timeOf = finding => finding.time ? middleOf(finding.time) : Number.MAX_VALUE;
const nameOrder = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const compareNames = (a, b) => nameOrder.compare(a, b);
const namesOf = ({ a, b }) => `${report.parts[a].name} \u00d7 ${report.parts[b].name}`;

const choice = { order: "worst", isReversed: false, text: "", leastDepth: 0, hidden: new Set() };
function isChosen(finding) {
  if (choice.hidden.has(finding.kind)) return false;
  // A clash of unknown depth may be deep enough, so it is kept.
  const isShallow = finding.depth ? finding.depth[1] !== null && finding.depth[1] < choice.leastDepth
                                  : finding.kind === "too_close" || finding.kind === "contact";
  if (choice.leastDepth > 0 && isShallow) return false;
  return choice.text.split(/\s+/).every(word => finding.text.includes(word));
}
function chosenFindings() {
  const compare = orders[choice.order];
  const sorted = findings.filter(isChosen).sort((a, b) => compare(a, b) || a.number - b.number);
  return choice.isReversed ? sorted.reverse() : sorted;
}

// ---- Header ----

function showHeader() {
  const { pairs, rules, unit } = report;
  element("title").textContent = report.title || "Clash report";
  const facts = [counted(report.parts.length, "part", "parts"), counted(report.triangles.read, "triangle", "triangles"),
                 `${counted(pairs.checked, "pair", "pairs")} checked`];
  if (unit) facts.push(report.unitOrigin ? `unit ${unit}, ${report.unitOrigin}` : `unit ${unit}`);
  if (rules.clearance > 0) facts.push(`clearance ${withUnit(shortNumber(rules.clearance))}`);
  facts.push(`contact within ${withUnit(shortNumber(rules.contact))}`);
  element("facts").textContent = facts.join(" \u00b7 ");
  const state = element("state");
  const left = report.open.undecidedCount;
  state.textContent = report.isComplete ? (left > 0 ? `Complete except for ${counted(left, "undecided pair", "undecided pairs")}` : "Complete")
    : `INCOMPLETE: ${grouped(pairs.checked)} of ${grouped(pairs.near)} pairs checked`;
  state.classList.toggle("incomplete", !report.isComplete || left > 0);
  element("least-unit").textContent = unit;

  kinds.forEach((kind, number) => {
    const count = report.counts[kind.id];
    const button = make("button", { class: "kind", type: "button", "aria-pressed": "true", "data-kind": kind.id,
                                    "data-count": count, title: `Show or hide (${number + 1})` },
                        makeSign(kind.id), make("b", { text: grouped(count) }),
                        make("span", { text: count === 1 ? kind.one : kind.many }));
    button.addEventListener("click", () => toggleKind(kind.id));
    element("kinds").append(button);
  });
}
function choose(change) {
  Object.assign(choice, change);
  showList();
}
function toggleKind(id) {
  if (!choice.hidden.delete(id)) choice.hidden.add(id);
  document.querySelector(`.kind[data-kind="${id}"]`).setAttribute("aria-pressed", String(!choice.hidden.has(id)));
  showList();
}

// What is undecided because parts are not closed.
function showUnclosed() {
  const { summary, count, undecidedCount, parts, undecided } = report.open, box = element("unclosed");
  if (!summary) return;
  const most = 200, name = number => report.parts[number].name;
  const text = element("unclosed-text");
  box.hidden = false;
  box.querySelector("summary").textContent = summary;
  if (undecidedCount > 0) {
    text.append(...section("Undecided", [
      ...undecided.slice(0, most).map(({ inner, outer, why, winding }) => `${name(inner)} inside ${name(outer)}? ` +
        why + (winding ? ` (winding number ${winding.map(bound => bound.toFixed(2)).join(" to ")})` : "")),
      ...(undecidedCount > most ? [`and ${grouped(undecidedCount - most)} more`] : [])]));
  }
  if (count > 0) {
    text.append(...section("Parts that are not closed", [
      ...parts.slice(0, most).map(name), ...(count > most ? [`and ${grouped(count - most)} more`] : [])]));
  }
}

function showAbout() {
  const { rules, pairs, notes, drawingNotes } = report, box = element("about-text");
  const lines = [rules.clearance > 0 ? `Parts closer than ${withUnit(shortNumber(rules.clearance))} are too close.`
                                     : "No clearance is required.",
                 `An overlap or a gap of at most ${withUnit(shortNumber(rules.contact))} is a contact.`];
  const patterns = rulePairs => rulePairs.map(([a, b]) => `${a} with ${b}`).join("; ");
  if (rules.only.length > 0) lines.push(`Only these were checked: ${patterns(rules.only)}.`);
  if (rules.ignored.length > 0) lines.push(`These were not checked: ${patterns(rules.ignored)}.`);
  if (rules.allowed.length > 0) lines.push(`These may touch: ${patterns(rules.allowed)}.`);
  lines.push({ likely: "Parts that are not closed count as solids if their winding numbers are clear: likely, not proven.",
               proven: "Only closed parts count as solids.",
               never: "All parts count as surfaces." }[rules.solid]);
  if (rules.repair) lines.push("Parts that are not closed were repaired where that is safe.");
  box.append(...section("Rules", lines), ...section("Pairs", [
    `${grouped(pairs.possible)} pairs under the rules, ${grouped(pairs.near)} of them near each other, ` +
    `${grouped(pairs.checked)} checked in ${shortNumber(report.seconds, 3)} s.`,
    ...(pairs.allowed > 0 ? [`${counted(pairs.allowed, "pair touches or is", "pairs touch or are")} too close, which the rules allow.`] : [])]));
  if (notes.length > 0) box.append(...section("Notes from reading", notes));
  if (drawingNotes.length > 0) {
    box.append(...section("Drawing", [...drawingNotes, "All findings refer to the parts as read."]));
  }
  if (notes.length > 0) element("about").querySelector("summary").textContent = `Rules and notes (${notes.length})`;
}

// ---- List ----

const rows = new Map();  // finding number -> row
let listed = [];         // the listed findings in order
let selected = null;     // a finding
let view = null;

function valueOf(finding) {
  if (finding.depth) return { ...boundsText(finding.depth), what: "depth", isLength: true };
  if (finding.distance) return { ...boundsText(finding.distance), what: "gap", isLength: true };
  return { isLength: false };
}
// Where to find a part in its file: its path, its type and the file's own identifier.
function placesOf(part) {
  return [part.path ? part.path.join(" / ") : "", part.type !== part.group ? part.type : "", part.id, part.file].filter(Boolean);
}
function nameLine(part, side) {
  const title = [part.group ? `${part.name} (${part.group})` : part.name, ...placesOf(part)].join("\n");
  return make("div", { class: `name ${side}`, title }, make("i", { "aria-hidden": "true" }),
              make("span", { text: part.name }), ...(part.group ? [make("em", { text: part.group })] : []));
}
const nameLines = finding => ["a", "b"].map(side => nameLine(report.parts[finding[side]], side));
const evidenceText = { likely: "A part that is not closed counts as a solid: likely, not proven",
                       repaired: "About a part that was repaired before the check" };
function kindText(finding) {
  const text = kinds[kindNumber[finding.kind]].one;
  return text[0].toUpperCase() + text.slice(1);
}
function makeRow(finding) {
  const { value, error, what, isLength } = valueOf(finding);
  const row = make("li", { class: "row", role: "option", id: `finding-${finding.number}`, "aria-selected": "false",
                           "data-number": finding.number });
  const picture = make("canvas", { width: 208, height: 156, "aria-hidden": "true" });
  const head = make("div", { class: `head ${finding.kind}` }, makeSign(finding.kind),
                    make("span", { text: kindText(finding) }));
  if (finding.evidence) head.append(make("span", { class: "evidence", text: finding.evidence, title: evidenceText[finding.evidence] }));
  if (isLength) {
    head.append(make("span", { class: "value", title: `${what} ${withUnit(exactBounds(finding.depth || finding.distance))}` },
                     withUnit(value), ...(error ? [" ", make("small", { text: error })] : [])));
  }
  const facts = [isLength && (what === "gap" ? "distance" : "depth"),
                 finding.time && `at time ${boundsText(finding.time).value}`,
                 finding.triangles > 0 && counted(finding.triangles, "triangle pair", "triangle pairs"), finding.note];
  row.append(picture, head, make("div", { class: "names" }, ...nameLines(finding)),
             make("div", { class: "foot" }, ...facts.filter(Boolean).map(text => make("span", { text }))));
  row.classList.toggle("plain", view === null);
  return row;
}
function rowOf(finding) {
  if (!rows.has(finding.number)) {
    const row = makeRow(finding);
    rows.set(finding.number, row);
    if (finding === selected) markSelected(row, finding);
  }
  return rows.get(finding.number);
}
function detailsOf(finding) {
  const details = make("dl", { class: "more" });
  const add = (name, text) => details.append(make("dt", { text: name }), make("dd", { text }));
  if (finding.depth) add("Depth within", withUnit(exactBounds(finding.depth)));
  if (finding.distance) add("Distance within", withUnit(exactBounds(finding.distance)));
  if (finding.time) add("First touch within", exactBounds(finding.time));
  add("Position", pointText(finding.position));
  if (finding.normal.some(part => part !== 0)) add(finding.depth ? "Direction out" : "Direction across", pointText(finding.normal));
  const why = { tolerance: "the tolerance was reached", budget: "the budget was used up; the bounds hold",
                limit: "could not be tightened further; the bounds hold" };
  if (finding.stop) add("Bounds", why[finding.stop]);
  return details;
}
function markSelected(row, finding) {
  row.setAttribute("aria-selected", "true");
  if (!row.querySelector(".more")) row.append(detailsOf(finding));
}

const list = element("list");
let shownRows = 0;
const endWatcher = new IntersectionObserver(entries => {
  if (entries.some(entry => entry.isIntersecting)) showMoreRows();
}, { rootMargin: "600px" });
function showMoreRows() {
  const next = listed.slice(shownRows, shownRows + rowsAtOnce).map(rowOf);
  shownRows += next.length;
  endWatcher.disconnect();
  list.append(...next);
  for (const row of next) pictureWatcher.observe(row);
  if (shownRows < listed.length && list.lastElementChild) endWatcher.observe(list.lastElementChild);
}
function showList() {
  listed = chosenFindings();
  shownRows = 0;
  list.replaceChildren();
  showMoreRows();
  if (selected) {
    while (shownRows < listed.length && shownRows <= listed.indexOf(selected)) showMoreRows();
  }
  list.setAttribute("aria-activedescendant", selected && listed.includes(selected) ? `finding-${selected.number}` : "");
  const all = kinds.reduce((sum, kind) => sum + report.counts[kind.id], 0);
  element("shown").textContent =
    (listed.length === all ? "" : `${grouped(listed.length)} of `) + counted(all, "finding", "findings") +
    (findings.length < all ? `; only the worst ${grouped(findings.length)} are in this page` : "");
  list.hidden = listed.length === 0;
  const nothing = element("nothing");
  nothing.hidden = listed.length > 0;
  nothing.textContent = findings.length > 0 ? "No findings match. Change the search, the kinds or the depth."
    : report.isComplete ? "Nothing found: no parts clash, touch or come too close."
    : "Nothing found so far: not all pairs were checked.";
  showSigns();
}
function showSigns() {
  if (view) view.setSigns(listed.map(finding => finding.number), finding => kindNumber[finding.kind], kindColor);
}
function kindColor(finding) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${finding.kind.replace("_", "-")}`).trim();
}

// ---- Pictures: drawn when the page is idle, visible ones first ----

const isPictured = new Set();
const inSight = new Set();  // finding numbers
let isPictureAsked = false;
const whenIdle = window.requestIdleCallback ? task => window.requestIdleCallback(task, { timeout: 400 })
                                            : task => setTimeout(task, 60);
const pictureWatcher = new IntersectionObserver(entries => {
  for (const { target, isIntersecting } of entries) {
    const number = Number(target.dataset.number);
    if (isIntersecting) inSight.add(number);
    else inSight.delete(number);
  }
  askPicture();
}, { rootMargin: "100px" });
function askPicture() {
  if (isPictureAsked || !view) return;
  isPictureAsked = true;
  whenIdle(() => {
    isPictureAsked = false;
    const number = [...inSight, ...listed.slice(0, shownRows).map(finding => finding.number)]
      .find(candidate => !isPictured.has(candidate));
    if (number === undefined) return;
    if (!view.isFlying && !isPlaying) {
      const isDrawn = view.drawPicture(findings[number], rows.get(number).querySelector("canvas"));
      if (isDrawn) isPictured.add(number);
    }
    askPicture();
  });
}

// ---- Choosing a finding or a part ----

function select(finding, options = {}) {
  const before = selected ? rows.get(selected.number) : null;
  if (before) {
    before.setAttribute("aria-selected", "false");
    before.querySelector(".more")?.remove();
  }
  selected = finding;
  if (finding) {
    const at = listed.indexOf(finding);
    while (at >= 0 && shownRows <= at) showMoreRows();
    const row = rowOf(finding);
    markSelected(row, finding);
    if (row.isConnected && !options.isListStill) row.scrollIntoView({ block: "nearest" });
    setPlaying(false);
    if (finding.time && report.timeRange) setTime(finding.time[0]);
    history.replaceState(null, "", `#finding-${finding.number + 1}`);
  } else {
    history.replaceState(null, "", location.pathname + location.search);
  }
  list.setAttribute("aria-activedescendant", finding ? `finding-${finding.number}` : "");
  showLegend(finding, null);
  if (view) view.setFocus(finding, null, options);
  placeCallout();
}
function selectPart(number) {
  select(null, { isStill: true });
  showLegend(null, number);
  if (view) view.setFocus(null, number, { isStill: true });
}
function step(by) {
  if (listed.length === 0) return;
  const at = selected ? listed.indexOf(selected) : -1;
  const next = at < 0 ? (by > 0 ? 0 : listed.length - 1) : Math.max(0, Math.min(listed.length - 1, at + by));
  select(listed[next]);
}
function showLegend(finding, partNumber) {
  const legend = element("legend");
  legend.replaceChildren();
  if (finding) {
    const { value, what, isLength } = valueOf(finding);
    const text = kindText(finding) + (finding.evidence ? ` (${finding.evidence})` : "") +
                 (isLength && value !== "0" ? `, ${what} ${withUnit(value)}` : "");
    legend.append(make("div", { class: "title" }, makeSign(finding.kind), make("span", { text })), ...nameLines(finding));
  } else if (partNumber !== null) {
    const part = report.parts[partNumber];
    const count = findings.filter(other => other.a === partNumber || other.b === partNumber).length;
    legend.append(make("div", { class: "title", text: part.name }));
    const detail = { box: "drawn as its box", simplified: "drawn simplified",
                     near_findings: "drawn whole near its findings only" }[report.meshes[part.mesh].detail];
    const facts = [part.group, count > 0 ? counted(count, "finding", "findings") : "no findings", detail].filter(Boolean);
    legend.append(make("div", { text: facts.join(" \u00b7 ") }));
    if (placesOf(part).length > 0) legend.append(make("div", { class: "places", text: placesOf(part).join(" \u00b7 ") }));
    if (count > 0) {
      const button = make("button", { type: "button", text: count === 1 ? "Show it in the list" : "Show them in the list" });
      button.addEventListener("click", () => search(part.name));
      legend.append(button);
    }
  }
}
function search(text) {
  element("search").value = text;
  choose({ text: text.trim().toLowerCase() });
}

// ---- On top of the view ----

function placeCallout() {
  const callout = element("callout");
  if (!view || !selected || !view.areMarksRight()) {
    callout.hidden = true;
    return;
  }
  const { value, what, isLength } = valueOf(selected);
  const text = isLength ? (value === "0" ? "touching" : `${what} ${withUnit(value)}`) : selected.time ? `touch at ${boundsText(selected.time).value}` : "";
  const [from, to] = view.lineOf(selected), middle = from.map((part, k) => (part + to[k]) / 2);
  const at = text ? view.project(middle) : null;
  callout.hidden = !at;
  if (!at) return;
  callout.textContent = text;
  callout.style.transform = `translate(${Math.round(at.x + 16)}px, ${Math.round(at.y - 38)}px)`;
}
function showAxes() {
  const svg = element("axes"), colors = ["#d1495b", "#3f9a5b", "#3f7fd1"];
  const axes = view.axes().map((axis, k) => ({ axis, k })).sort((a, b) => a.axis[2] - b.axis[2]);
  svg.replaceChildren(...axes.flatMap(({ axis, k }) => {
    const x = 19 * axis[0], y = -19 * axis[1], opacity = axis[2] < -0.2 ? 0.55 : 1;
    return [makeSvg("line", { x1: 0, y1: 0, x2: x, y2: y, stroke: colors[k], "stroke-width": 2.2, opacity,
                              "stroke-linecap": "round" }),
            makeSvg("text", { x: 1.32 * x, y: 1.32 * y + 3, fill: colors[k], "text-anchor": "middle", opacity }, "xyz"[k])];
  }));
}
function showTip(part, x, y, finding) {
  const tip = element("tip");
  const isFinding = finding !== undefined && finding !== null;
  tip.hidden = part === null && !isFinding;
  element("view").style.cursor = isFinding ? "pointer" : "";
  if (tip.hidden) return;
  const [name, small] = isFinding ? [namesOf(findings[finding]), kinds[kindNumber[findings[finding].kind]].one]
                                  : [report.parts[part].name, report.parts[part].group];
  tip.replaceChildren(name, ...(small ? [" ", make("small", { text: small })] : []));
  const stage = element("stage"), left = Math.min(x + 14, stage.clientWidth - tip.offsetWidth - 8);
  const top = y + 18 + tip.offsetHeight > stage.clientHeight ? y - tip.offsetHeight - 10 : y + 18;
  tip.style.transform = `translate(${Math.round(Math.max(8, left))}px, ${Math.round(top)}px)`;
}

const edgeModes = [["edges", "Edges"], ["wire", "Wireframe"], ["plain", "Plain"]];
function nextEdges() {
  const at = (edgeModes.findIndex(([id]) => id === view.look.edges) + 1) % edgeModes.length;
  view.setLook({ edges: edgeModes[at][0] });
  element("edges").textContent = edgeModes[at][1];
}
function toggleLook(key, id) {
  view.setLook({ [key]: !view.look[key] });
  element(id).setAttribute("aria-pressed", String(view.look[key]));
}

// ---- Motion ----

let isPlaying = false, time = null, lastFrame = null;
function readTimes() {
  const motions = report.parts.flatMap(part => part.motion || []);
  const first = motions.reduce((time, stretch) => Math.min(time, stretch.from), Infinity);
  const last = motions.reduce((time, stretch) => Math.max(time, stretch.to), -Infinity);
  report.timeRange = last > first ? [first, last] : null;
}
function setTime(value) {
  const [first, last] = report.timeRange;
  time = Math.max(first, Math.min(last, value));
  element("slider").value = time;
  const digits = Math.max(0, 3 - Math.floor(Math.log10(last - first)));
  element("time").textContent = `t = ${time.toFixed(Math.min(12, digits))}`;
  element("slider").setAttribute("aria-valuetext", element("time").textContent);
  if (view) view.setTime(time);
}
function setPlaying(on) {
  if (!report.timeRange) return;
  isPlaying = on;
  lastFrame = null;
  const button = element("play");
  button.setAttribute("aria-label", on ? "Pause" : "Play");
  const shape = on ? "M5 4h3.5v12H5zM11.5 4H15v12h-3.5z" : "M6 3.5 16 10 6 16.5z";
  button.replaceChildren(makeSvg("svg", { viewBox: "0 0 20 20" }, makeSvg("path", { d: shape, fill: "currentColor" })));
  if (on && time >= report.timeRange[1]) setTime(report.timeRange[0]);
  if (view) view.draw();
  if (!on) askPicture();
}
function stopAt(value) {
  setPlaying(false);
  setTime(value);
}
function startMotion() {
  if (!report.timeRange) return;
  const [first, last] = report.timeRange, slider = element("slider");
  element("motion").hidden = view === null;
  element("stage").classList.add("has-motion");
  slider.min = first;
  slider.max = last;
  slider.step = "any";
  slider.addEventListener("input", () => stopAt(Number(slider.value)));
  element("play").addEventListener("click", () => setPlaying(!isPlaying));
  for (const finding of [...findings].reverse()) {  // so that the worst is on top
    if (!finding.time || (finding.kind === "contact" && finding.time[0] <= first)) continue;
    const names = namesOf(finding);
    const mark = make("button", { type: "button", tabindex: "-1", title: `${names}, ${boundsText(finding.time).value}`,
                                  "aria-label": `First touch of ${names}` }, makeSign(finding.kind));
    mark.style.left = `${100 * (finding.time[0] - first) / (last - first)}%`;
    mark.addEventListener("mousedown", event => event.preventDefault());  // keeps the focus, so that space still plays
    mark.addEventListener("click", () => select(finding));
    element("marks").append(mark);
  }
  stopAt(first);
  if (!view) return;
  view.beforeFrame.push(now => {
    if (!isPlaying) return;
    const seconds = lastFrame === null ? 0 : Math.min(0.1, (now - lastFrame) / 1000);
    lastFrame = now;
    const next = time + seconds * (last - first) / secondsPerMotion;
    setTime(next);
    if (next >= last) setPlaying(false);
    else view.draw();
  });
}

// ---- Light and dark ----

const darkWish = window.matchMedia("(prefers-color-scheme: dark)");
function setTheme(isDark) {
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  if (!view) return;
  view.setLook({ isDark });
  isPictured.clear();
  askPicture();
  showSigns();
}
const isDark = () => document.documentElement.dataset.theme === "dark";

// ---- Keys ----

function onKey(event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const target = event.target, isTyping = target.matches("input[type=search], input[type=number], select");
  if (event.key === "Escape") {
    if (element("help").open) return;  // the dialog closes itself
    if (target === element("search") && target.value) search("");
    else if (isTyping) list.focus();
    else select(null);
    event.preventDefault();
    return;
  }
  if (isTyping || element("help").open) return;
  const isListed = target === list || target === document.body;
  const keys = {
    "j": () => step(1), "k": () => step(-1),
    "/": () => element("search").focus(),
    "?": () => element("help").showModal(),
    "d": () => setTheme(!isDark()),
    ...Object.fromEntries(kinds.map((kind, number) => [String(number + 1), () => toggleKind(kind.id)])),
    ...(isListed ? { ArrowDown: () => step(1), ArrowUp: () => step(-1), PageDown: () => step(5), PageUp: () => step(-5),
                     Home: () => listed.length > 0 && select(listed[0]),
                     End: () => listed.length > 0 && select(listed[listed.length - 1]),
                     Enter: () => selected ? select(selected) : step(1) } : {}),
    ...(view ? { "f": () => view.fit(), "e": nextEdges, "h": () => toggleLook("isRestHidden", "rest"),
                 "x": () => toggleLook("isGlass", "glass"), "u": () => view.setUp(view.up === "z" ? "y" : "z") } : {}),
    ...(report.timeRange ? {
      ",": () => stopAt(time - (report.timeRange[1] - report.timeRange[0]) / 100),
      ".": () => stopAt(time + (report.timeRange[1] - report.timeRange[0]) / 100),
      ...(target.matches("button, summary, a") ? {} : { " ": () => setPlaying(!isPlaying) }) } : {}),
  };
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action();
}

// ---- Start ----

function fail(text) {
  element("failure").hidden = false;
  element("failure").textContent = text;
  for (const node of document.querySelectorAll("#view, .view-tools, #axes, #legend")) node.hidden = true;
}
function start() {
  readTimes();
  document.documentElement.dataset.theme = darkWish.matches ? "dark" : "light";
  showHeader();
  showUnclosed();
  showAbout();
  if (typeof THREE === "undefined") {
    fail("The program that wrote this report was built without three.js, which draws the 3D view. The list is complete.");
  } else {
    try {
      view = createView(element("view"), report, {
        hovered: showTip,
        clicked: part => part === null ? select(null, { isStill: true }) : selectPart(part),
        clickedFinding: number => select(findings[number]),
        moved: () => { placeCallout(); showAxes(); },
        freeSpace: () => window.innerWidth <= 820 ? { top: 10, bottom: report.timeRange ? 110 : 50 }
                                                  : { top: 56, bottom: report.timeRange ? 84 : 40 },
      });
    } catch (error) {
      view = null;
      fail(`The 3D view needs WebGL, which this browser does not have or has switched off. The list is complete. (${error.message})`);
    }
  }
  if (report.drawingNotes.length > 0) {
    element("drawing").hidden = false;
    element("drawing").textContent = report.drawingNotes.join(" ");
  }
  startMotion();
  setTheme(darkWish.matches);
  showList();

  darkWish.addEventListener("change", () => setTheme(darkWish.matches));
  element("theme").addEventListener("click", () => setTheme(!isDark()));
  element("help-button").addEventListener("click", () => element("help").showModal());
  element("search").addEventListener("input", event => choose({ text: event.target.value.trim().toLowerCase() }));
  element("least-depth").addEventListener("input", event => choose({ leastDepth: Number(event.target.value) || 0 }));
  element("order").addEventListener("change", event => choose({ order: event.target.value }));
  element("reverse").addEventListener("click", event => {
    choose({ isReversed: !choice.isReversed });
    event.currentTarget.setAttribute("aria-pressed", String(choice.isReversed));
  });
  list.addEventListener("click", event => {
    const row = event.target.closest(".row");
    if (row) select(findings[Number(row.dataset.number)], { isListStill: true });
  });
  if (view) {
    element("all").addEventListener("click", () => select(null));
    element("fit").addEventListener("click", () => view.fit());
    element("edges").addEventListener("click", nextEdges);
    element("rest").addEventListener("click", () => toggleLook("isRestHidden", "rest"));
    element("glass").addEventListener("click", () => toggleLook("isGlass", "glass"));
  }
  window.addEventListener("keydown", onKey);

  const linked = /^#finding-(\d+)$/.exec(location.hash);
  if (linked && findings[Number(linked[1]) - 1]) select(findings[Number(linked[1]) - 1], { isImmediate: true });
}
start();

// What is shown, for scripts such as the tests.
window.whiskerReport = {
  get view() { return view; },
  get selected() { return selected ? selected.number : null; },
  get listed() { return listed.map(finding => finding.number); },
  get time() { return time; },
  get pictures() { return isPictured.size; },
};
