// What the program writes into the page. The program's side is src/report/page.h.

export interface Axis {
  label: string;
  unit: string;
  log?: boolean;
}

export interface Curve {
  name: string;
  x: number; // an array of the document
  y: number;
  dashed?: boolean;
  muted?: boolean;
  marks?: boolean; // points instead of a line
}

export interface PlotBlock {
  kind: "plot";
  id: string;
  title: string;
  x: Axis;
  y: Axis;
  curves: Curve[];
  time?: boolean; // x is the time of the replay: cursors and zooms are shared
  stacked?: boolean;
  square?: boolean;
  note?: string;
}

export interface Column {
  name: string;
  unit?: string;
  hint?: string;
}

export type Cell = string | number | null;

export interface TableBlock {
  kind: "table";
  id: string;
  title: string;
  columns: Column[];
  rows: Cell[][];
  time?: number; // the column whose time a click moves the replay to
  note?: string;
}

export interface BarsBlock {
  kind: "bars";
  id: string;
  title: string;
  unit: string;
  bars: { name: string; value: number; note?: string }[];
}

/** Colours over two axes. */
export interface MapBlock {
  kind: "map";
  id: string;
  title: string;
  x: Axis;
  y: Axis;
  xs: number; // arrays
  ys: number;
  values: number; // by row, from the least y
  label: string;
  note?: string;
}

/** A line a point through columns side by side. */
export interface ParallelBlock {
  kind: "parallel";
  id: string;
  title: string;
  columns: { name: string; values: number; words: string[] }[];
  note: string;
}

export interface TextBlock {
  kind: "text";
  text: string;
}

export interface CodeBlock {
  kind: "code";
  title: string;
  text: string;
}

/** A shape in the axes of its body, from the body's own origin. */
export interface Shape {
  kind: "sphere" | "plane" | "capsule" | "cylinder" | "mesh" | "hole" | "slot" | "segment";
  at: [number, number, number];
  axis?: [number, number, number];
  radius?: number;
  length?: number;
  width?: number;
  points?: [number, number, number][]; // of a mesh: corners; of a planar one its outline in order
  faces?: number[][];
}

export interface ReplayBody {
  name: string;
  shapes: Shape[];
  /** Arrays: x y z qw qx qy qz, or x y angle in a plane; none for what stands still. */
  motion: number[];
  place?: number[]; // of what stands still, in the same order
}

export interface ReplayBlock {
  kind: "replay";
  id: string;
  planar: boolean;
  size: number; // of things
  up: [number, number, number];
  time: number; // array
  bodies: ReplayBody[];
  links: { from: number; to: number; a: [number, number, number]; b: [number, number, number]; kind: string }[];
  contacts: { name: string; point: number[]; force: number[] }[]; // arrays, components
  impacts: { time: number; end: number; label: string }[];
  parts?: { time: number; end: number; label: string }[]; // to choose from; each plays again and again
}

export type Block = PlotBlock | TableBlock | BarsBlock | MapBlock | ParallelBlock | TextBlock | CodeBlock | ReplayBlock;

export interface Section {
  id: string;
  title: string;
  blocks: Block[];
}

export interface Document {
  format: number;
  kind: string;
  title: string;
  subtitle: string;
  answer: string;
  warnings: string[];
  sections: Section[];
  arrays: string[]; // base64 of doubles, little-endian
}

/** The numbers of the document, decoded when they are first asked for. */
export class Arrays {
  private readonly decoded = new Map<number, Float64Array>();

  constructor(private readonly encoded: string[]) {}

  at(index: number): Float64Array {
    const known = this.decoded.get(index);
    if (known) return known;
    const text = atob(this.encoded[index] ?? "");
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    const out = new Float64Array(bytes.buffer);
    this.decoded.set(index, out);
    return out;
  }
}
