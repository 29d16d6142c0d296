/**
 * Computes the text style of an HTML element, in pdfmake's terms, from the inherited one.
 * Order of precedence: the tag, then its `align` attribute, then the declarations of its `style` attribute. Unsupported ones
 * are ignored, sizes are kept readable, and only web, mail and phone links are kept. `document.ts` is the only caller.
 */
import type { DefaultTreeAdapterTypes } from 'parse5';

export type Element = DefaultTreeAdapterTypes.Element;

/** The inherited text style, in pdfmake's terms. */
export interface TextStyle {
  fontSize: number;
  font?: 'Sans' | 'Mono';
  bold?: boolean;
  italics?: boolean;
  color?: string;
  background?: string;
  decoration?: ('underline' | 'lineThrough')[];
  alignment?: 'left' | 'center' | 'right' | 'justify';
  link?: string;
  sub?: boolean;
  sup?: boolean;
  preformatted?: boolean;
  hidden?: boolean;
}

export const attribute = ({ attrs }: Element, wanted: string) =>
  attrs.find(({ name }) => name === wanted)?.value;

type Change = Partial<TextStyle> | ((style: TextStyle, element: Element) => Partial<TextStyle>);

const bold: Change = { bold: true };
const italics: Change = { italics: true };
const decorate =
  (line: 'underline' | 'lineThrough') =>
  ({ decoration = [] }: TextStyle) => ({ decoration: [...decoration, line] });
const code = ({ fontSize }: TextStyle): Partial<TextStyle> => ({ font: 'Mono', fontSize: fontSize * 0.9 });
const heading = (fontSize: number): Change => ({ fontSize, bold: true });

const tags: Record<string, Change> = {
  b: bold,
  strong: bold,
  th: bold,
  dt: bold,
  summary: bold,
  i: italics,
  em: italics,
  cite: italics,
  var: italics,
  dfn: italics,
  address: italics,
  u: decorate('underline'),
  ins: decorate('underline'),
  s: decorate('lineThrough'),
  strike: decorate('lineThrough'),
  del: decorate('lineThrough'),
  code,
  kbd: code,
  samp: code,
  tt: code,
  h1: heading(24),
  h2: heading(19),
  h3: heading(16),
  h4: heading(13.5),
  h5: heading(12),
  h6: heading(11),
  pre: (style) => ({ ...code(style), preformatted: true }),
  mark: { background: '#fff3a3' },
  small: ({ fontSize }) => ({ fontSize: fontSize * 0.85 }),
  sub: { sub: true },
  sup: { sup: true },
  blockquote: { color: '#555555' },
  center: { alignment: 'center' },
  a: (style, element) => linkStyle(style, attribute(element, 'href')?.trim() ?? ''),
};

/** Only safe link targets. */
const linkStyle = (style: TextStyle, link: string): Partial<TextStyle> =>
  /^(?:https?:|mailto:|tel:)/i.test(link) ? { link, color: '#0b57d0', ...decorate('underline')(style) } : {};

export function elementStyle(element: Element, inherited: TextStyle): TextStyle {
  const change = Object.hasOwn(tags, element.tagName) ? tags[element.tagName] : undefined;
  const style = { ...inherited, ...(typeof change === 'function' ? change(inherited, element) : change) };
  const align = attribute(element, 'align');
  for (const [name, value] of [
    ...(align ? [['text-align', align] as const] : []),
    ...declarations(element),
  ]) {
    if (Object.hasOwn(properties, name)) Object.assign(style, properties[name]?.(value, inherited));
  }
  return style;
}

export const declarations = (element: Element): Map<string, string> =>
  new Map(
    (attribute(element, 'style') ?? '').split(';').map((declaration) => {
      const [name = '', ...value] = declaration.split(':');
      return [name.trim().toLowerCase(), value.join(':').replace('!important', '').trim().toLowerCase()];
    }),
  );

type Declared = (value: string, style: TextStyle) => Partial<TextStyle>;

const setColour = (member: 'color' | 'background') => (value: string) => {
  const found = parseColour(value);
  return found ? { [member]: found } : {};
};
const decorations = { underline: 'underline', 'line-through': 'lineThrough' } as const;

/** The supported declarations of a `style` attribute. Others are ignored. */
const properties: Record<string, Declared> = {
  color: setColour('color'),
  background: setColour('background'),
  'background-color': setColour('background'),
  'font-size': (value, { fontSize }) => ({ fontSize: parseSize(value, fontSize) }),
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
function parseColour(value: string): string | undefined {
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
function parseSize(value: string, inherited: number): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?|\.\d+)(pt|px|rem|mm|cm|in|em|%)$/.exec(value) ?? [];
  const factor = unit === 'em' ? inherited : unit === '%' ? inherited / 100 : pointsPer[unit];
  const points = factor === undefined ? sizesOf[value] : Number(number) * factor;
  return Math.min(144, Math.max(4, points ?? inherited));
}
