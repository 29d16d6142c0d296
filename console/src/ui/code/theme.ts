import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const theme = EditorView.theme({
  '&': {
    font: '13.5px/1.5 ui-monospace, Menlo, Consolas, monospace',
    color: 'var(--text)',
    maxHeight: '26rem',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '2px', borderRadius: '8px' },
  '.cm-content': { caretColor: 'var(--text)', minHeight: '4.5rem', padding: '0.5rem' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-scroller': { overflow: 'auto', fontFamily: 'inherit' },
  '.cm-tooltip': { background: 'var(--card)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent-back)', color: '#fff' },
  '.cm-pointed': {
    outline: '1px dashed var(--accent)',
    borderRadius: '4px',
    background: 'var(--accent-soft)',
  },
  '.cm-reference': { background: 'var(--accent-soft)', borderRadius: '4px' },
  '.cm-selectionBackground': { background: 'var(--accent-soft) !important' },
});

const colours = HighlightStyle.define([
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--busy)' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--accent)' },
  { tag: [tags.propertyName, tags.variableName, tags.attributeName], color: 'var(--text)' },
  { tag: tags.comment, color: 'var(--soft)' },
  { tag: [tags.brace, tags.squareBracket, tags.paren, tags.tagName], color: 'var(--warn)' },
]);

export const look = [theme, syntaxHighlighting(colours)];
