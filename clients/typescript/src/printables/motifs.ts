/**
 * The pictures of the occasions, as shapes: the same drawings, number by number, as on the preview cards that
 * `reminder_worker/gifts/draw_cards.py` draws. Around (0, 0), within a disc of radius 200.
 */
import type { Palette } from "../occasions.ts";
import { alongBox } from "./canvas.ts";

type Point = readonly [number, number];
type Colour = keyof Palette;

const { cos, sin, PI } = Math;

/** Draws in its context's own units; the colours are names of the palette's. */
class Pen {
  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly palette: Palette,
  ) {}

  disc(x: number, y: number, radius: number, colour: Colour, flat = 1): void {
    this.fill(colour, (path) => path.ellipse(x, y, radius, radius * flat, 0, 0, 2 * PI));
  }

  ring(x: number, y: number, radius: number, width: number, colour: Colour): void {
    this.arc(x, y, radius, 0, 360, width, colour);
  }

  /** Degrees clockwise from three o'clock; the line lies inside the radius. */
  arc(x: number, y: number, radius: number, first: number, last: number, width: number, colour: Colour): void {
    const [from, to] = [(first * PI) / 180, (last * PI) / 180];
    this.stroke(colour, width, (path) => path.arc(x, y, radius - width / 2, from, to));
  }

  slab(left: number, top: number, right: number, bottom: number, colour: Colour, roundBy = 0): void {
    const box = { x: left, y: top, width: right - left, height: bottom - top };
    this.fill(colour, (path) => alongBox(path, box, roundBy));
  }

  shape(points: readonly Point[], colour: Colour): void {
    this.fill(colour, (path) => along(path, points));
  }

  line(points: readonly Point[], width: number, colour: Colour): void {
    this.stroke(colour, width, (path) => along(path, points));
  }

  star(x: number, y: number, radius: number, colour: Colour): void {
    const points = turns(10).map((turn): Point => {
      const [size, angle] = [turn % 2 === 0 ? radius : radius * 0.42, (PI * turn) / 5];
      return [x + size * sin(angle), y - size * cos(angle)];
    });
    this.shape(points, colour);
  }

  heart(x: number, y: number, size: number, colour: Colour): void {
    const points = turns(120).map((step): Point => {
      const t = (2 * PI * step) / 120;
      return [x + size * 16 * sin(t) ** 3, y - size * (13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t))];
    });
    this.shape(points, colour);
  }

  /** A drop whose foot is at (x, y). */
  flame(x: number, y: number, height: number, colour: Colour): void {
    const half = height / 2;
    const points = turns(81).map((step): Point => {
      const t = (PI * step) / 40;
      return [x + half * 0.62 * sin(t) * sin(t / 2), y - half - half * cos(t)];
    });
    this.shape(points, colour);
  }

  private fill(colour: Colour, draw: (path: Path2D) => void): void {
    const path = new Path2D();
    draw(path);
    this.context.fillStyle = this.palette[colour];
    this.context.fill(path);
  }

  private stroke(colour: Colour, width: number, draw: (path: Path2D) => void): void {
    const path = new Path2D();
    draw(path);
    this.context.strokeStyle = this.palette[colour];
    this.context.lineWidth = width;
    this.context.lineJoin = "round";
    this.context.stroke(path);
  }
}

function along(path: Path2D, points: readonly Point[]): void {
  for (const [x, y] of points) path.lineTo(x, y);
}

function turns(count: number): number[] {
  return [...Array(count).keys()];
}

function present(pen: Pen): void {
  pen.slab(-105, -20, 105, 125, "ground", 8);
  pen.slab(-122, -62, 122, -12, "ground", 8);
  pen.line([[-122, -12], [122, -12]], 4, "soft");
  pen.slab(-19, -62, 19, 125, "accent");
  for (const side of [-1, 1]) {
    pen.shape([[0, -62], [side * 88, -132], [side * 98, -70]], "accent");
    pen.shape([[side * 22, -74], [side * 72, -112], [side * 76, -80]], "soft");
  }
  pen.disc(0, -68, 19, "accent");
}

function cake(pen: Pen): void {
  for (const x of [-50, 0, 50]) {
    pen.slab(x - 6, -92, x + 6, -36, "panel", 3);
    pen.flame(x, -94, 42, "accent");
  }
  pen.slab(-80, -40, 80, 36, "accent", 12);
  pen.slab(-122, 24, 122, 112, "ground", 12);
  for (const step of turns(6)) pen.disc(-102 + 41 * step, 34, 19, "panel");
  pen.slab(-110, 15, 110, 32, "panel", 8);
  pen.slab(-152, 108, 152, 124, "ink", 8);
}

function rings(pen: Pen): void {
  pen.ring(-48, 32, 88, 17, "accent");
  pen.ring(48, 32, 88, 17, "ground");
  pen.arc(-48, 32, 88, 290, 340, 17, "accent");
  pen.shape([[-90, -104], [-6, -104], [14, -82], [-48, -28], [-110, -82]], "panel");
  pen.line([[-110, -82], [14, -82]], 4, "accent");
  pen.line([[-76, -82], [-48, -30], [-20, -82]], 4, "accent");
}

function hearts(pen: Pen): void {
  pen.heart(42, 22, 6.6, "ground");
  pen.heart(-48, -18, 6.6, "panel");
  pen.heart(-48, -18, 5.6, "accent");
}

function heart(pen: Pen): void {
  pen.heart(0, 6, 9, "accent");
  pen.arc(-62, -38, 46, 175, 265, 10, "panel");
  for (const [x, y] of [[-128, 86], [130, 84], [0, -142]] as const) pen.heart(x, y, 1.5, "ground");
}

function moon(pen: Pen): void {
  pen.disc(-6, 6, 122, "ground");
  pen.disc(48, -28, 102, "soft");
  for (const [x, y, size] of [[52, -52, 42], [104, 44, 24], [12, 26, 18]] as const) pen.star(x, y, size, "accent");
}

function cap(pen: Pen): void {
  pen.shape([[-82, -6], [82, -6], [82, 74], [0, 106], [-82, 74]], "ink");
  pen.shape([[0, -96], [166, -26], [0, 44], [-166, -26]], "ground");
  pen.line([[0, -26], [122, 8], [122, 78]], 7, "accent");
  pen.disc(0, -26, 10, "accent");
  pen.shape([[122, 72], [138, 122], [106, 122]], "accent");
}

function flower(pen: Pen): void {
  pen.line([[0, -10], [6, 70], [0, 160]], 11, "ground");
  for (const [side, y] of [[-1, 128], [1, 96]] as const) {
    pen.shape([[2, y], [side * 44, y - 44], [side * 92, y - 38], [side * 60, y - 4]], "ground");
  }
  for (const turn of turns(8)) pen.disc(66 * sin((PI * turn) / 4), -50 - 66 * cos((PI * turn) / 4), 36, "accent");
  pen.disc(0, -50, 38, "panel");
}

function house(pen: Pen): void {
  pen.slab(58, -112, 90, -40, "ink");
  pen.slab(-98, -40, 98, 114, "panel");
  pen.shape([[-138, -26], [0, -142], [138, -26]], "ground");
  pen.slab(-30, 22, 30, 114, "accent", 6);
  pen.disc(16, 70, 6, "panel");
  for (const x of [-66, 66]) pen.slab(x - 19, 10, x + 19, 48, "soft", 4);
  pen.heart(0, -62, 2, "soft");
}

function fireworks(pen: Pen): void {
  for (const [x, y, size, colour] of [
    [-40, -8, 104, "ground"],
    [92, 92, 54, "accent"],
    [98, -102, 44, "accent"],
  ] as const) {
    for (const turn of turns(12)) {
      const [across, down] = [size * sin((PI * turn) / 6), -size * cos((PI * turn) / 6)];
      pen.line([[x + 0.3 * across, y + 0.3 * down], [x + 0.8 * across, y + 0.8 * down]], size / 16, colour);
      pen.disc(x + across, y + down, size / 13, colour);
    }
  }
}

function tree(pen: Pen): void {
  pen.slab(-17, 96, 17, 146, "ink");
  for (const [top, bottom, half] of [[-120, -36, 66], [-74, 34, 94], [-16, 106, 122]] as const) {
    pen.shape([[0, top], [half, bottom], [-half, bottom]], "ground");
  }
  pen.star(0, -122, 34, "accent");
  for (const [x, y] of [[-24, -52], [26, -18], [-50, 14], [10, 42], [62, 74], [-70, 84], [-8, 88]] as const) {
    pen.disc(x, y, 10, x < 20 ? "accent" : "panel");
  }
}

function menorah(pen: Pen): void {
  for (const radius of [32, 66, 100, 134]) pen.arc(0, -36, radius, 0, 180, 11, "ground");
  pen.slab(-6, -74, 6, 130, "ground");
  pen.shape([[-62, 144], [62, 144], [26, 118], [-26, 118]], "ground");
  for (const x of [-128, -95, -61, -27, 27, 61, 95, 128]) {
    pen.slab(x - 9, -62, x + 9, -34, "ground", 3);
    pen.flame(x, -66, 38, "accent");
  }
  pen.slab(-10, -96, 10, -70, "ground", 3);
  pen.flame(0, -100, 44, "accent");
}

function crescent(pen: Pen): void {
  pen.disc(-22, 0, 124, "ground");
  pen.disc(26, -20, 104, "soft");
  pen.star(48, -24, 50, "accent");
}

function lamp(pen: Pen): void {
  pen.flame(0, 14, 148, "accent");
  pen.flame(0, 8, 84, "panel");
  pen.shape(turns(41).map((step): Point => [132 * cos((PI * step) / 40), 20 + 92 * sin((PI * step) / 40)]), "ground");
  pen.disc(0, 20, 132, "ink", 0.16);
  pen.slab(-50, 104, 50, 122, "ink", 9);
  for (const x of [-84, -42, 0, 42, 84]) pen.disc(x, 66 - Math.abs(x) * 0.18, 8, "soft");
}

function eggs(pen: Pen): void {
  for (const [x, y, colour] of [[-74, 30, "accent"], [74, 30, "ground"], [0, -6, "panel"]] as const) {
    pen.shape(egg(x, y), colour);
    for (const row of [-26, 26]) {
      const zigzag = turns(9).map((step): Point => [x - 40 + 10 * step, y + row + (step % 2 ? 7 : -7)]);
      pen.line(zigzag, 6, colour === "panel" ? "accent" : "panel");
    }
    for (const spot of [-30, 0, 30]) pen.disc(x + spot, y, 7, colour === "panel" ? "ground" : "soft");
  }
}

function egg(x: number, y: number): Point[] {
  const steps = turns(90).map((step) => (2 * PI * step) / 90);
  return steps.map((t): Point => [x + 66 * sin(t) * (1 - 0.16 * cos(t)), y - 92 * cos(t)]);
}

function lantern(pen: Pen): void {
  pen.line([[0, -158], [0, -104]], 6, "ink");
  pen.disc(0, 0, 124, "ground", 0.74);
  for (const half of [84, 38]) {
    const steps = turns(91).map((step) => (2 * PI * step) / 90);
    pen.line(steps.map((t): Point => [half * sin(t), 92 * cos(t)]), 4, "soft");
  }
  pen.slab(-58, -108, 58, -82, "accent", 6);
  pen.slab(-58, 82, 58, 108, "accent", 6);
  for (const x of [-26, 0, 26]) pen.line([[x, 108], [x, 166 - Math.abs(x) / 2]], 5, "accent");
}

function scroll(pen: Pen): void {
  pen.slab(-92, -92, 92, 92, "panel");
  for (const y of [-56, -28, 0, 28, 56]) pen.line([[-52, y], [52, y]], 8, "ground");
  for (const x of [-100, 100]) {
    pen.slab(x - 9, -152, x + 9, 152, "accent", 8);
    pen.slab(x - 26, -104, x + 26, 104, "ground", 20);
    pen.disc(x, -152, 16, "accent");
    pen.disc(x, 152, 16, "accent");
  }
}

function sprout(pen: Pen): void {
  pen.line([[0, 96], [0, -30]], 13, "ground");
  for (const [side, y] of [[-1, -6], [1, -46]] as const) {
    pen.shape([[0, y + 28], [side * 40, y - 46], [side * 122, y - 66], [side * 92, y + 8]], "ground");
    pen.line([[0, y + 28], [side * 84, y - 34]], 5, "soft");
  }
  pen.disc(0, 118, 118, "ink", 0.26);
  for (const [x, y] of [[-52, 112], [4, 124], [58, 110]] as const) pen.disc(x, y, 8, "accent");
}

const MOTIFS: Readonly<Record<string, (pen: Pen) => void>> = {
  present, cake, rings, hearts, moon, cap, flower, house, heart, fireworks, tree, menorah, crescent, lamp, eggs,
  lantern, scroll, sprout,
};

/** The motif on its disc, `radius` pixels large around (x, y). */
export function drawMotif(
  context: CanvasRenderingContext2D,
  motif: string,
  palette: Palette,
  x: number,
  y: number,
  radius: number,
): void {
  const draw = MOTIFS[motif];
  if (draw === undefined) throw new Error(`there is no motif ${motif}`);
  context.save();
  context.translate(x, y);
  context.scale(radius / 200, radius / 200);
  const pen = new Pen(context, palette);
  pen.disc(0, 0, 200, "soft");
  draw(pen);
  context.restore();
}
