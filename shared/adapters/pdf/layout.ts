import type { DefaultTreeAdapterTypes } from 'parse5';
import type { Content } from 'pdfmake/interfaces.js';
import type { Element, TextStyle } from './style.ts';

export type Node = DefaultTreeAdapterTypes.ChildNode;
export const isElement = (node: Node): node is Element => 'tagName' in node;

export interface Layout {
  room: { width: number; height: number };
  contentOf: (nodes: readonly Node[], style: TextStyle, layout: Layout) => Content[];
}

export type Make = (element: Element, style: TextStyle, layout: Layout) => Content[];
