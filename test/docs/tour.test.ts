import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type AnimationFrame, encodeAnimation } from '../../docs/generate/pictures/tour/animation.ts';
import { stops } from '../../docs/generate/pictures/tour/stops.ts';

interface Chunk {
  name: string;
  data: Buffer;
}

/** The chunks of a RIFF file, or of a part of one. */
function chunksOf(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4);
    chunks.push({
      name: bytes.toString('latin1', at, at + 4),
      data: bytes.subarray(at + 8, at + 8 + length),
    });
    at += 8 + length + (length % 2);
  }
  return chunks;
}

const u24 = (bytes: Buffer, at: number) => bytes.readUIntLE(at, 3);

/** Where each frame stands, how large it is, how long it stays, and what it is made of. */
function framesOf(file: Buffer) {
  expect([file.toString('latin1', 0, 4), file.toString('latin1', 8, 12)]).toEqual(['RIFF', 'WEBP']);
  expect(file.readUInt32LE(4)).toBe(file.length - 8);
  const [head, animation, ...frames] = chunksOf(file.subarray(12));
  expect([head?.name, animation?.name]).toEqual(['VP8X', 'ANIM']);
  return frames.map(({ name, data }) => {
    expect(name).toBe('ANMF');
    const [x, y, width, height, ms] = [0, 3, 6, 9, 12].map((at) => u24(data, at));
    const place = [2 * (x ?? 0), 2 * (y ?? 0), (width ?? 0) + 1, (height ?? 0) + 1];
    return { place, ms: ms ?? 0, parts: chunksOf(data.subarray(16)) };
  });
}

/** A file as a browser writes it, with a chunk that an animation must not have. */
function still(content: string): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(data.length);
    return Buffer.concat([Buffer.from(name), length, data, Buffer.alloc(data.length % 2)]);
  };
  const chunks = [chunk('ICCP', Buffer.from('colours')), chunk('VP8 ', Buffer.from(content))];
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

test('an animation has each picture at its place, as long as it is to be seen', () => {
  const frames: AnimationFrame[] = [
    { x: 0, y: 0, width: 960, height: 648, ms: 2_400, webp: still('whole') },
    { x: 12, y: 300, width: 31, height: 7, ms: 70_000, webp: still('part') },
  ];
  const file = encodeAnimation(frames, { width: 960, height: 648 });
  expect(framesOf(file)).toEqual([
    { place: [0, 0, 960, 648], ms: 2_400, parts: [{ name: 'VP8 ', data: Buffer.from('whole') }] },
    { place: [12, 300, 31, 7], ms: 70_000, parts: [{ name: 'VP8 ', data: Buffer.from('part') }] },
  ]);
});

test('the tour that is in the repository shows every view, in 30 seconds and 600 KB', () => {
  const file = readFileSync('docs/images/tour.webp');
  const seconds = stops.flatMap(({ views }) => views.map((view) => view.seconds));
  expect(framesOf(file).map(({ ms }) => ms)).toEqual(seconds.map((each) => each * 1_000));
  expect(Math.round(seconds.reduce((sum, each) => sum + each))).toBe(30);
  expect(file.length).toBeLessThan(600_000);
});
