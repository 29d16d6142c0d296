import type { TextStyle } from './style.ts';

type Declared = (value: string, style: TextStyle) => Partial<TextStyle>;

const coloured = (member: 'color' | 'background') => (value: string) => {
  const found = colourIn(value);
  return found ? { [member]: found } : {};
};
const decorations = { underline: 'underline', 'line-through': 'lineThrough' } as const;

/** The supported declarations of a `style` attribute. Others are ignored. */
export const properties: Record<string, Declared> = {
  color: coloured('color'),
  background: coloured('background'),
  'background-color': coloured('background'),
  'font-size': (value, { fontSize }) => ({ fontSize: sizeIn(value, fontSize) }),
  'font-weight': (value) => ({ bold: value.startsWith('bold') || Number(value) >= 600 }),
  'font-style': (value) => ({ italics: /^(?:italic|oblique)/.test(value) }),
  'font-family': (value) => (/mono|courier|consolas/.test(value) ? { font: 'Mono' } : {}),
  'text-align': (value) =>
    /^(?:left|center|right|justify)$/.test(value)
      ? { alignment: value as NonNullable<TextStyle['alignment']> }
      : {},
  'text-decoration': (value) => ({
    decoration: Object.entries(decorations).flatMap(([line, ours]) => (value.includes(line) ? [ours] : [])),
  }),
  'white-space': (value) => ({ preformatted: value.startsWith('pre') }),
  display: (value) => (value === 'none' ? { hidden: true } : {}),
  visibility: (value) => (value === 'hidden' ? { hidden: true } : {}),
};

const namedColours = new Set(
  'aqua black blue brown crimson cyan fuchsia gold gray green grey indigo lime magenta maroon navy olive orange pink purple red silver teal tomato violet white yellow'.split(
    ' ',
  ),
);

/** A colour that PDF supports, or undefined. */
function colourIn(value: string): string | undefined {
  const [first = ''] = value.match(/#[\da-f]+|rgba?\([^)]*\)|[a-z]+/i) ?? [];
  if (/^#(?:[\da-f]{3}|[\da-f]{6})$/i.test(first) || namedColours.has(first)) return first;
  const parts = first.match(/\d+(?:\.\d+)?/g)?.slice(0, 3) ?? [];
  if (!first.startsWith('rgb') || parts.length < 3) return undefined;
  const hex = parts.map((part) =>
    Math.min(255, Math.round(Number(part)))
      .toString(16)
      .padStart(2, '0'),
  );
  return `#${hex.join('')}`;
}

const pointsPer: Record<string, number> = {
  pt: 1,
  px: 0.75,
  rem: 10.5,
  mm: 72 / 25.4,
  cm: 72 / 2.54,
  in: 72,
};
const sizesOf: Record<string, number> = { small: 9, medium: 10.5, large: 13, 'x-large': 16, 'xx-large': 21 };

/** A font size in points that is readable and fits a page. */
function sizeIn(value: string, inherited: number): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?|\.\d+)(pt|px|rem|mm|cm|in|em|%)$/.exec(value) ?? [];
  const factor = unit === 'em' ? inherited : unit === '%' ? inherited / 100 : pointsPer[unit];
  const points = factor === undefined ? sizesOf[value] : Number(number) * factor;
  return Math.min(144, Math.max(4, points ?? inherited));
}
