import { createElement, Fragment, type ReactNode } from 'react';

/** Makes an element, such as a link, of the words of a sentence. */
export type Wrap = (text: string) => ReactNode;

/** A text with elements in it: sentence`Ends ${time}`. A translation can put them in another order. */
export const sentence = (texts: TemplateStringsArray, ...parts: ReactNode[]): ReactNode =>
  createElement(Fragment, null, ...texts.flatMap((text, index) => [text, parts[index]]));
