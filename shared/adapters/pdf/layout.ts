import type { DefaultTreeAdapterTypes } from 'parse5';
import type { Content } from 'pdfmake/interfaces.js';
import type { Element, Style } from './style.ts';

export type Node = DefaultTreeAdapterTypes.ChildNode;
export const isElement = (node: Node): node is Element => 'tagName' in node;

/** Where something is laid out: how much room there is, in points, and how to lay out what is inside it. */
export interface Layout {
  room: { width: number; height: number };
  contentOf: (nodes: readonly Node[], style: Style, layout: Layout) => Content[];
}

/** Lays out one kind of element. */
export type Make = (element: Element, style: Style, layout: Layout) => Content[];
