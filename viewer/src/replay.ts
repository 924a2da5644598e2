// The scene, moving. Space is seen from aside, a plane flat.
import * as three from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Clock } from "./clock";
import type { Arrays, ReplayBlock } from "./document";
import { colour, el } from "./dom";
import { withUnit } from "./numbers";
import { geometryOf } from "./shapes";

const HEIGHT = 420;
const FEW_BODIES = 200; // up to here edges and round shapes are drawn in full
const SLOW = 0.05; // of the speed, around impacts
const WALL_SECONDS = 8; // a run plays in about this time

interface Mover {
  node: three.Object3D;
  motion: Float64Array[];
}

export function replay(block: ReplayBlock, arrays: Arrays, clock: Clock): HTMLElement {
  const times = arrays.at(block.time);
  const first = times[0] ?? 0, last = times[times.length - 1] ?? 1;
  const canvas = el("canvas", { class: "replay-canvas", tabindex: "0", "aria-label": "Replay of the scene" });
  const figure = el("figure", { class: "replay", id: block.id });
  const scrub = el("input", { type: "range", min: "0", max: "1", step: "any", value: "0", "aria-label": "Time" });
  const label = el("output", { class: "time" });
  const play = el("button", { type: "button", class: "play" }, "play");
  const speed = el("select", { "aria-label": "Speed" });
  const slow = el("input", { type: "checkbox", id: block.id + "-slow" });
  const arrows = el("input", { type: "checkbox", id: block.id + "-arrows", checked: true });
  slow.checked = block.impacts.length > 0 && block.impacts.length < 200;
  const parts = block.parts ?? [];
  const chosen = el("select", { "aria-label": "Part" });
  for (const part of parts) chosen.append(el("option", {}, part.label));
  const natural = parts.length > 0 ? 1 : (last - first) / WALL_SECONDS || 1;
  for (const [text, factor] of [["fit", natural], ["1×", 1], ["1/4×", 0.25], ["1/10×", 0.1], ["1/100×", 0.01], ["1/1000×", 0.001], ["10×", 10]] as const)
    speed.append(el("option", { value: String(factor) }, text));
  figure.append(
    el("figcaption", {}, el("span", {}, "Replay"), el("span", { class: "tools hint" }, block.planar ? "drag to move, wheel to zoom" : "drag to turn, wheel to zoom, right button to move")),
    canvas,
    el("div", { class: "controls" }, play, ...(parts.length > 0 ? [el("label", {}, "show ", chosen)] : []), scrub, label, el("label", {}, "speed ", speed),
      ...(parts.length > 0 ? [] : [el("label", { for: slow.id }, slow, " slow at impacts"), el("label", { for: arrows.id }, arrows, " forces")])));

  const partAt = (time: number) => parts.findIndex((part) => time >= part.time && time <= part.end);
  let renderer: three.WebGLRenderer;
  try {
    renderer = new three.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
  } catch {
    canvas.replaceWith(el("p", { class: "note" }, "This browser cannot draw the replay (WebGL is missing)."));
    return figure;
  }
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  const scene = new three.Scene();
  const movers: Mover[] = [];
  const box = new three.Box3();
  const few = block.bodies.length <= FEW_BODIES;
  const style = { planar: block.planar, size: block.size, fine: few };
  const edgeMaterials: three.LineBasicMaterial[] = [];
  block.bodies.forEach((body, number) => {
    const node = new three.Group();
    const material = new three.MeshLambertMaterial({ color: colour(body.motion.length ? `--line-${number % 8}` : "--ground"), side: three.DoubleSide,
      ...(body.motion.length ? {} : { transparent: true, opacity: 0.6 }) });
    for (const shape of body.shapes) {
      const geometry = geometryOf(shape, style);
      if (!geometry) continue;
      node.add(new three.Mesh(geometry, material));
      if (few && shape.kind !== "plane") {
        const edge = new three.LineBasicMaterial({ color: colour("--ink") });
        edgeMaterials.push(edge);
        node.add(new three.LineSegments(new three.EdgesGeometry(geometry, 30), edge));
      }
    }
    if (few && block.planar && body.motion.length)  // a line that shows the turn
      for (const shape of body.shapes)
        if (shape.kind === "sphere") {
          const edge = new three.LineBasicMaterial({ color: colour("--ink") });
          edgeMaterials.push(edge);
          const z = 0.02 * block.size;
          node.add(new three.Line(new three.BufferGeometry().setFromPoints([new three.Vector3(shape.at[0], shape.at[1], z), new three.Vector3(shape.at[0] + (shape.radius ?? 0), shape.at[1], z)]), edge));
        }
    scene.add(node);
    if (body.motion.length) movers.push({ node, motion: body.motion.map((i) => arrays.at(i)) });
    else if (body.place) put(node, body.place, block.planar);
  });
  // joints' rods and springs between bodies
  const linkMaterial = new three.LineBasicMaterial({ color: colour("--ink") });
  const nodeOf = scene.children.slice() as three.Object3D[];
  const links = block.links.map((link) => {
    const line = new three.Line(new three.BufferGeometry().setFromPoints([new three.Vector3(), new three.Vector3()]), linkMaterial);
    line.frustumCulled = false;
    scene.add(line);
    return { ...link, line };
  });
  const contactArrows = block.contacts.map((c) => {
    const arrow = new three.ArrowHelper(new three.Vector3(0, 0, 1), new three.Vector3(), 1, colour("--accent"));
    const dot = new three.Mesh(new three.SphereGeometry(0.012 * block.size, 12, 8), new three.MeshBasicMaterial({ color: colour("--accent"), depthTest: false }));
    arrow.visible = dot.visible = false;
    scene.add(arrow, dot);
    return { arrow, dot, point: c.point.map((i) => arrays.at(i)), force: c.force.map((i) => arrays.at(i)) };
  });
  let largest = 0;
  for (const c of contactArrows)
    for (let i = 0; i < times.length; ++i) {
      const f = Math.hypot(...c.force.map((a) => a[i] ?? 0));
      if (f > largest) largest = f;
    }
  scene.add(new three.HemisphereLight(0xffffff, 0x888888, 2.2));
  const sun = new three.DirectionalLight(0xffffff, 1.5);
  sun.position.set(0.4, -0.6, 1);
  scene.add(sun);

  // all places that are ever reached, of what has a size
  const here = new three.Vector3();
  for (const mover of movers)
    for (let k = 0; k <= 40; ++k) {
      const i = Math.min(times.length - 1, Math.round((k * (times.length - 1)) / 40));
      here.set(mover.motion[0]![i] ?? 0, mover.motion[1]![i] ?? 0, block.planar ? 0 : mover.motion[2]![i] ?? 0);
      if (Number.isFinite(here.x + here.y + here.z)) box.expandByPoint(here);
    }
  if (box.isEmpty()) box.set(new three.Vector3(-1, -1, -1), new three.Vector3(1, 1, 1));
  box.expandByScalar(0.35 * block.size);
  const centre = box.getCenter(new three.Vector3()), extent = box.getSize(new three.Vector3());

  let camera: three.PerspectiveCamera | three.OrthographicCamera;
  const up = new three.Vector3(...block.up);
  if (block.planar) {
    camera = new three.OrthographicCamera(-1, 1, 1, -1, 0.01, 100 * extent.length());
    camera.position.set(centre.x, centre.y, 10 * extent.length());
    camera.up.set(0, 1, 0);
  } else {
    camera = new three.PerspectiveCamera(35, 1, 0.001 * extent.length(), 100 * extent.length());
    camera.up.copy(up);
    const aside = new three.Vector3(0.35, -1, 0.25);
    if (Math.abs(up.y) > 0.5) aside.set(0.35, 0.25, 1);
    camera.position.copy(centre).addScaledVector(aside.normalize(), 2.2 * extent.length());
  }
  const controls = new OrbitControls(camera, canvas);
  controls.target.copy(centre);
  controls.enableRotate = !block.planar;
  if (block.planar) controls.mouseButtons.LEFT = three.MOUSE.PAN;
  controls.addEventListener("change", () => draw());

  const frameCamera = () => {
    const width = figure.clientWidth || 640;
    renderer.setSize(width, HEIGHT, false);
    canvas.style.width = "100%";
    canvas.style.height = HEIGHT + "px";
    const aspect = width / HEIGHT;
    if (camera instanceof three.OrthographicCamera) {
      const half = 0.5 * Math.max(extent.y, extent.x / aspect) * 1.05;
      camera.left = -half * aspect;
      camera.right = half * aspect;
      camera.top = half;
      camera.bottom = -half;
    } else {
      camera.aspect = aspect;
    }
    camera.updateProjectionMatrix();
    controls.update();
  };

  let index = 0;
  const seek = (time: number) => { // the sample before
    let low = 0, high = times.length - 1;
    if (times[index]! <= time && (index + 1 > high || time < times[index + 1]!)) return index;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle]! <= time) low = middle;
      else high = middle - 1;
    }
    return (index = low);
  };
  const a = new three.Quaternion(), b = new three.Quaternion(), from = new three.Vector3(), to = new three.Vector3();
  const show = (time: number) => {
    const i = seek(time), j = Math.min(i + 1, times.length - 1);
    const part = j > i ? Math.min(1, Math.max(0, (time - times[i]!) / (times[j]! - times[i]!))) : 0;
    const mix = (array: Float64Array | undefined) => array ? array[i]! + part * (array[j]! - array[i]!) : 0;
    for (const { node, motion } of movers) {
      if (block.planar) {
        node.position.set(mix(motion[0]), mix(motion[1]), 0);
        node.rotation.z = mix(motion[2]);
      } else {
        node.position.set(mix(motion[0]), mix(motion[1]), mix(motion[2]));
        a.set(motion[4]![i]!, motion[5]![i]!, motion[6]![i]!, motion[3]![i]!);
        b.set(motion[4]![j]!, motion[5]![j]!, motion[6]![j]!, motion[3]![j]!);
        node.quaternion.copy(a).slerp(b, part);
      }
    }
    for (const link of links) {
      const places = link.line.geometry.attributes.position as three.BufferAttribute;
      const ends = [[link.from, link.a], [link.to, link.b]] as const;
      ends.forEach(([body, at], k) => {
        const node = nodeOf[body];
        if (!node) return;
        node.updateMatrixWorld();
        from.set(...at).applyMatrix4(node.matrixWorld);
        places.setXYZ(k, from.x, from.y, from.z);
      });
      places.needsUpdate = true;
    }
    for (const c of contactArrows) {
      const near = part > 0.5 ? j : i;
      from.set(c.point[0]?.[near] ?? NaN, c.point[1]?.[near] ?? NaN, block.planar ? 0.03 * block.size : c.point[2]?.[near] ?? NaN);
      to.set(c.force[0]?.[near] ?? 0, c.force[1]?.[near] ?? 0, block.planar ? 0 : c.force[2]?.[near] ?? 0);
      const size = to.length();
      c.arrow.visible = c.dot.visible = arrows.checked && size > 0 && Number.isFinite(from.x);
      if (!c.arrow.visible) continue;
      const length = block.size * (0.1 + 0.5 * Math.sqrt(size / largest));
      c.dot.position.copy(from);
      c.arrow.position.copy(from);
      c.arrow.setDirection(to.normalize());
      c.arrow.setLength(length, 0.06 * block.size, 0.03 * block.size);
    }
    scrub.value = String((time - first) / (last - first || 1));
    label.value = withUnit(time, "s", 6);
    figure.dataset.time = String(time);
    const shown = partAt(time);
    if (shown >= 0) chosen.selectedIndex = shown;
  };
  const draw = () => renderer.render(scene, camera);
  const paint = () => {
    scene.background = new three.Color(colour("--panel"));
    for (const m of edgeMaterials) m.color.set(colour("--ink"));
    linkMaterial.color.set(colour("--ink"));
    draw();
  };

  let playing = false, before = 0;
  const inImpact = (time: number) => block.impacts.some((hit) => time >= hit.time - 0.02 * natural && time <= hit.end + 0.02 * natural);
  const tick = (now: number) => {
    if (!playing) return;
    const passed = Math.min(0.1, (now - before) / 1000);
    before = now;
    const rate = Number(speed.value) * (slow.checked && inImpact(clock.time) ? SLOW : 1);
    let time = clock.time + passed * rate;
    const part = parts[partAt(clock.time)];
    if (part && time >= part.end) time = part.time;
    if (time >= last) { time = last; stop(); }
    clock.set(time, canvas);
    requestAnimationFrame(tick);
  };
  const start = () => {
    if (clock.time >= last) clock.set(first);
    playing = true;
    play.textContent = "pause";
    before = performance.now();
    requestAnimationFrame(tick);
  };
  const stop = () => { playing = false; play.textContent = "play"; };
  chosen.addEventListener("change", () => {
    clock.set(parts[chosen.selectedIndex]?.time ?? first, chosen);
    if (!playing) start();
  });
  play.addEventListener("click", () => (playing ? stop() : start()));
  scrub.addEventListener("input", () => clock.set(first + Number(scrub.value) * (last - first), scrub));
  arrows.addEventListener("change", () => { show(clock.time); draw(); });
  canvas.addEventListener("keydown", (event) => {
    const step = (last - first) / 200;
    if (event.key === " ") { playing ? stop() : start(); event.preventDefault(); }
    if (event.key === "ArrowRight") clock.set(Math.min(last, clock.time + step));
    if (event.key === "ArrowLeft") clock.set(Math.max(first, clock.time - step));
  });
  clock.time = first;
  clock.listen((time) => { show(Math.min(last, Math.max(first, time))); draw(); });
  new ResizeObserver(() => { frameCamera(); paint(); }).observe(figure);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  document.addEventListener("themechange", paint);
  queueMicrotask(() => { frameCamera(); show(first); paint(); });
  return figure;
}

function put(node: three.Object3D, place: number[], planar: boolean): void {
  if (planar) {
    node.position.set(place[0] ?? 0, place[1] ?? 0, 0);
    node.rotation.z = place[2] ?? 0;
  } else {
    node.position.set(place[0] ?? 0, place[1] ?? 0, place[2] ?? 0);
    node.quaternion.set(place[4] ?? 0, place[5] ?? 0, place[6] ?? 0, place[3] ?? 1);
  }
}
