import { type ElementNode, htmlToMarkdown, type TextNode, type TransformPlugin } from '@mdream/js';

/** What a reader takes from an HTML page. */
export interface Page {
  title: string;
  markdown: string;
  /** Where its links lead: absolute, http and https only. */
  links: string[];
}

/** What frames the content, and what only a browser can use. */
const noise = ['head', 'nav', 'footer', 'aside', 'iframe', 'svg', 'object', 'embed', 'dialog'];
const controls = ['button', 'input', 'select', 'textarea'];
const roles = ['[role="navigation"]', '[role="search"]', '[role="banner"]', '[role="contentinfo"]'];

/** How much longer a page's links may become by being made absolute. Beyond that they stay as plain text. */
const absoluteCharactersMax = 10_000_000;

/**
 * Reads a page that came from an address, which its links are relative to. Whatever is in it, the time that takes
 * grows with its length alone; the library's own `clean` would not be so.
 */
export function readPage(html: string, address: string): Page {
  const reader = pageReader(address);
  const markdown = htmlToMarkdown(html, {
    hooks: [reader.hook],
    plugins: { filter: { exclude: [...noise, ...controls, ...roles] } },
  });
  return { title: reader.title(), markdown: markdown.trim(), links: [...reader.links] };
}

/** Sees every node before it is left out or kept, and makes addresses absolute. */
function pageReader(address: string) {
  const links = new Set<string>();
  let title = '';
  let titleElement: object | undefined;
  let base = address;
  let hasBase = false;
  let room = absoluteCharactersMax;
  const absolute = (reference: string) => {
    room -= base.length;
    return room < 0 ? undefined : URL.parse(reference, base)?.href;
  };
  const hook: TransformPlugin = {
    processAttributes({ name, attributes }) {
      const { href, src } = attributes;
      if (name === 'base' && href && !hasBase) {
        base = absolute(href) ?? base;
        hasBase = true;
      }
      if (name === 'img' && src) attributes.src = absolute(src) ?? src;
      if (name !== 'a' || href === undefined) return;
      const target = href.startsWith('#') ? undefined : absolute(href);
      if (target && isWeb(target)) links.add(target);
      // What leads nowhere outside a browser stays as plain text.
      if (target && isUsable(target)) attributes.href = target;
      else delete attributes.href;
    },
    beforeNodeProcess({ node }) {
      const { value, parent, attributes } = node as Partial<TextNode & ElementNode>;
      // An image that lies in the page itself would be its longest part by far.
      if (attributes?.src?.startsWith('data:')) return { skip: true };
      if (value === undefined || parent?.name !== 'title' || parent.parent?.name === 'svg') return;
      titleElement ??= parent;
      if (parent === titleElement) title += value;
      return { skip: true };
    },
  };
  return { hook, links, title: () => title.replace(/\s+/g, ' ').trim() };
}

/** The text of a piece of HTML. */
export const plainText = (html: string) => htmlToMarkdown(html, { format: 'text' }).trim();

const isWeb = (url: string) => /^https?:/.test(url);
const isUsable = (url: string) => /^(https?|mailto|tel):/.test(url);
