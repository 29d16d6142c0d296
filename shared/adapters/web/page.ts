import { type ElementNode, htmlToMarkdown, type TextNode, type TransformPlugin } from '@mdream/js';

export interface WebPage {
  title: string;
  markdown: string;
  /** The targets of its links: absolute, http and https only. */
  links: string[];
}

/** Elements around the content, and those that only work in a browser. */
const noise = ['head', 'nav', 'footer', 'aside', 'iframe', 'svg', 'object', 'embed', 'dialog'];
const controls = ['button', 'input', 'select', 'textarea'];
const roles = ['[role="navigation"]', '[role="search"]', '[role="banner"]', '[role="contentinfo"]'];

/** The limit for the growth of links when they become absolute. Further links become plain text. */
const absoluteCharactersMax = 10_000_000;

/** Reads a page with relative links. Takes linear time for any input; the library's own `clean` does not. */
export function readPage(html: string, address: string): WebPage {
  const reader = pageReader(address);
  const markdown = htmlToMarkdown(html, {
    hooks: [reader.hook],
    plugins: { filter: { exclude: [...noise, ...controls, ...roles] } },
  });
  return { title: reader.title(), markdown: markdown.trim(), links: [...reader.links] };
}

/** Visits every node before filtering and makes URLs absolute. */
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
      // Links that only work in a browser become plain text.
      if (target && isUsable(target)) attributes.href = target;
      else delete attributes.href;
    },
    beforeNodeProcess({ node }) {
      const { value, parent, attributes } = node as Partial<TextNode & ElementNode>;
      // Embedded images would dominate the output.
      if (attributes?.src?.startsWith('data:')) return { skip: true };
      if (value === undefined || parent?.name !== 'title' || parent.parent?.name === 'svg') return;
      titleElement ??= parent;
      if (parent === titleElement) title += value;
      return { skip: true };
    },
  };
  return { hook, links, title: () => title.replace(/\s+/g, ' ').trim() };
}

export const plainText = (html: string) => htmlToMarkdown(html, { format: 'text' }).trim();

const isWeb = (url: string) => /^https?:/.test(url);
const isUsable = (url: string) => /^(https?|mailto|tel):/.test(url);
