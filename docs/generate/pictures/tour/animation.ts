/** A part of the picture that changes, as a WebP file of its own. Its place has even numbers. */
export interface AnimationFrame {
  x: number;
  y: number;
  width: number;
  height: number;
  webp: Uint8Array;
  /** How long the picture stays like that. */
  ms: number;
}

const animationFlag = 0b10;
/** The frame takes the place of what is there; it does not blend with it. */
const noBlendFlag = 0b10;

/** An animated WebP file, which repeats for ever. https://developers.google.com/speed/webp/docs/riff_container */
export function encodeAnimation(
  frames: readonly AnimationFrame[],
  size: { width: number; height: number },
): Buffer {
  const head = Buffer.concat([u32(animationFlag), u24(size.width - 1), u24(size.height - 1)]);
  const chunks = [
    chunk('VP8X', head),
    chunk('ANIM', Buffer.alloc(6)),
    ...frames.map(({ x, y, width, height, ms, webp }) =>
      chunk(
        'ANMF',
        Buffer.concat([
          ...[x / 2, y / 2, width - 1, height - 1, ms].map(u24),
          Buffer.from([noBlendFlag]),
          ...imageChunks(webp),
        ]),
      ),
    ),
  ];
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  return Buffer.concat([Buffer.from('RIFF'), u32(body.length), body]);
}

const u24 = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255]);

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const chunk = (name: string, data: Buffer) =>
  Buffer.concat([Buffer.from(name), u32(data.length), data, Buffer.alloc(data.length % 2)]);

/** What a still picture has of its picture; the rest is said by the animation. */
function imageChunks(webp: Uint8Array): Buffer[] {
  const file = Buffer.from(webp);
  const kept: Buffer[] = [];
  for (let at = 12; at + 8 <= file.length; ) {
    const name = file.toString('latin1', at, at + 4);
    const end = at + 8 + file.readUInt32LE(at + 4);
    if (['ALPH', 'VP8 ', 'VP8L'].includes(name)) kept.push(chunk(name, file.subarray(at + 8, end)));
    at = end + (end % 2);
  }
  return kept;
}
