import { createElement, isValidElement, type ReactElement } from 'react';
import { expect, test } from 'vitest';
import { sentence } from '../../../../console/src/texts/sentence.ts';

test('a sentence keeps its texts and elements in their order', () => {
  const link = createElement('a', {}, 'a flow');
  const node = sentence`Open ${link} or ${'an agent'}.`;
  expect(isValidElement(node)).toBe(true);
  const { children } = (node as ReactElement<{ children: unknown[] }>).props;
  expect(children.filter((each) => each !== undefined)).toEqual(['Open ', link, ' or ', 'an agent', '.']);
});
