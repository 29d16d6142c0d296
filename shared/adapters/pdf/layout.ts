import type { DefaultTreeAdapterTypes } from 'parse5';
import type { Content } from 'pdfmake/interfaces.js';
import type { Element, TextStyle } from './style.ts';

export type HtmlNode = DefaultTreeAdapterTypes.ChildNode;
export const isElement = (node: HtmlNode): node is Element => 'tagName' in node;

export interface Layout {
  room: { width: number; height: number };
  contentOf: (nodes: readonly HtmlNode[], style: TextStyle, layout: Layout) => Content[];
}

export type Make = (element: Element, style: TextStyle, layout: Layout) => Content[];
