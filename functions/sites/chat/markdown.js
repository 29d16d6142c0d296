import { lexer } from './marked.js';

// Builds elements from Markdown. Texts come from models, so nothing is read as HTML, and images, which would tell other
// servers of the visitor, are links.

/**
 * What the rules read of the library's tokens.
 * @typedef {object} Token
 * @property {string} type
 * @property {string} raw
 * @property {string} text
 * @property {Token[]} [tokens]
 * @property {Token[]} items
 * @property {string} href
 * @property {number} depth
 * @property {boolean} ordered
 * @property {number} start
 * @property {boolean} [task]
 * @property {boolean} [checked]
 * @property {Token[]} header
 * @property {Token[][]} rows
 */

/**
 * @param {string} name
 * @param {(Node | string)[]} [parts]
 * @param {object} [members]
 * @returns {HTMLElement}
 */
const element = (name, parts = [], members = {}) => {
  const made = Object.assign(document.createElement(name), members);
  made.append(...parts);
  return made;
};

/** @param {Pick<Token, 'tokens' | 'text'>} token */
const childrenOf = ({ tokens, text }) => (tokens ? tokens.map(nodeOf) : [text ?? '']);
/** @param {string} name */
const withChildren = (name) => (/** @type {Token} */ token) => element(name, childrenOf(token));

/** @type {Record<string, (token: Token) => Node | string>} */
const nodes = {
  paragraph: withChildren('p'),
  strong: withChildren('strong'),
  em: withChildren('em'),
  del: withChildren('del'),
  blockquote: withChildren('blockquote'),
  // The page has a heading of its own.
  heading: ({ depth, ...token }) => element(`h${Math.min(depth + 1, 6)}`, childrenOf(token)),
  list: ({ ordered, start, items }) =>
    element(ordered ? 'ol' : 'ul', items.map(itemOf), ordered && start > 1 ? { start } : {}),
  code: ({ text }) => element('pre', [element('code', [text])], { tabIndex: 0 }),
  codespan: ({ text }) => element('code', [text]),
  br: () => element('br'),
  hr: () => element('hr'),
  space: () => '',
  def: () => '',
  link: (token) => linkTo(token.href, childrenOf(token)),
  image: ({ href, text }) => linkTo(href, [text || href]),
  escape: ({ text }) => text,
  text: ({ tokens, text }) => (tokens ? element('span', tokens.map(nodeOf)) : text),
  table: tableOf,
};

/**
 * Tokens without a rule, such as HTML, are shown as they were written.
 * @param {Token} token
 * @returns {Node | string}
 */
const nodeOf = (token) => (nodes[token.type] ?? (({ raw }) => raw))(token);

/** @param {Token} token */
function itemOf({ task, checked, ...token }) {
  const box = task ? [checked ? '☑ ' : '☐ '] : [];
  return element('li', [...box, ...childrenOf(token)]);
}

/** @param {Token} token */
function tableOf({ header, rows }) {
  /** @param {'th' | 'td'} name */
  const cells = (name) => (/** @type {Token[]} */ row) => element('tr', row.map(withChildren(name)));
  const table = element('table', [
    element('thead', [cells('th')(header)]),
    element('tbody', rows.map(cells('td'))),
  ]);
  return element('div', [table], { className: 'wide', tabIndex: 0 });
}

/**
 * @param {string} href
 * @param {(Node | string)[]} children
 */
function linkTo(href, children) {
  const address = URL.parse(href);
  if (!address || !['https:', 'http:', 'mailto:'].includes(address.protocol))
    return element('span', children);
  const rel = 'noopener noreferrer nofollow';
  return element('a', children, { href: address.href, target: '_blank', rel });
}

/** Deeper texts are no answers, and the library handles each level by a call. */
const levelsMax = 50;
/** @param {string} markdown */
const isDeep = (markdown) =>
  markdown.split('\n').some((line) => (line.match(/[>*+-]/g)?.length ?? 0) > 1_000);

/**
 * A text that cannot be read as Markdown is shown as it is.
 * @param {string} markdown
 */
export function elementsOf(markdown) {
  try {
    if (!isDeep(markdown)) return withinLevels(tokensOf(markdown)).map(nodeOf);
  } catch {}
  return [element('p', [markdown], { className: 'plain' })];
}

/** @param {string} markdown */
const tokensOf = (markdown) =>
  /** @type {Token[]} */ (/** @type {unknown} */ (lexer(markdown, { gfm: true, breaks: true })));

/**
 * @param {Token[]} tokens
 * @throws RangeError
 */
function withinLevels(tokens, level = 0) {
  if (level > levelsMax) throw new RangeError('Too deep');
  for (const { tokens: inner, items } of tokens) {
    if (inner) withinLevels(inner, level + 1);
    if (items) withinLevels(items, level + 1);
  }
  return tokens;
}
