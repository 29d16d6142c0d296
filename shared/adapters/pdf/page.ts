/** Paper sizes: width and height in points (72 per inch). */
const sheets = {
  A3: [841.89, 1190.55],
  A4: [595.28, 841.89],
  A5: [419.53, 595.28],
  A6: [297.64, 419.53],
  Letter: [612, 792],
  Legal: [612, 1_008],
  Tabloid: [792, 1_224],
} as const;

export type Format = keyof typeof sheets;
export const formats = Object.keys(sheets) as Format[];

const pointsPer = { pt: 1, px: 0.75, mm: 72 / 25.4, cm: 72 / 2.54, in: 72 };

/** A number of pixels, or a number with a unit. */
export const length = /^\d{1,4}(?:\.\d{1,4})?(?:pt|px|mm|cm|in)$/;
type Length = string | number;

const points = (size: Length) =>
  typeof size === 'number'
    ? size * pointsPer.px
    : Number.parseFloat(size) * pointsPer[size.slice(-2) as keyof typeof pointsPer];

export interface PdfOptions {
  format?: Format | undefined;
  landscape?: boolean | undefined;
  margin?: Length | Partial<Record<'top' | 'right' | 'bottom' | 'left', Length | undefined>> | undefined;
}

/** In points. */
export interface PdfPage {
  width: number;
  height: number;
  /** Left, top, right, bottom. */
  margins: [number, number, number, number];
}

const usualMargin = '20mm';

export function pdfPage({ format = 'A4', landscape = false, margin = usualMargin }: PdfOptions): PdfPage {
  const [short, long] = sheets[format];
  const [width, height] = landscape ? [long, short] : [short, long];
  const sides =
    typeof margin === 'object' ? margin : { top: margin, right: margin, bottom: margin, left: margin };
  const { left = usualMargin, top = usualMargin, right = usualMargin, bottom = usualMargin } = sides;
  return { width, height, margins: [points(left), points(top), points(right), points(bottom)] };
}

export const contentArea = ({ width, height, margins: [left, top, right, bottom] }: PdfPage) => ({
  width: width - left - right,
  height: height - top - bottom,
});
