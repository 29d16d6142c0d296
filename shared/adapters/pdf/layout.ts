import type { DefaultTreeAdapterTypes } from 'parse5';
import type { Content } from 'pdfmake/interfaces.js';
import type { Element, Style } from './style.ts';

export type Node = DefaultTreeAdapterTypes.ChildNode;
export const isElement = (node: Node): node is Element => 'tagName' in node;

export interface Layout {
  room: { width: number; height: number };
  contentOf: (nodes: readonly Node[], style: Style, layout: Layout) => Content[];
}

export type Make = (element: Element, style: Style, layout: Layout) => Content[];
