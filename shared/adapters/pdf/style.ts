import type { DefaultTreeAdapterTypes } from 'parse5';
import { properties } from './css.ts';

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
const decorated =
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
  u: decorated('underline'),
  ins: decorated('underline'),
  s: decorated('lineThrough'),
  strike: decorated('lineThrough'),
  del: decorated('lineThrough'),
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
  a: (style, element) => linked(style, attribute(element, 'href')?.trim() ?? ''),
};

/** Only safe link targets. */
const linked = (style: TextStyle, link: string): Partial<TextStyle> =>
  /^(?:https?:|mailto:|tel:)/i.test(link) ? { link, color: '#0b57d0', ...decorated('underline')(style) } : {};

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
