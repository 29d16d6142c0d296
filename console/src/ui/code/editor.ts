import { autocompletion, type CompletionContext } from '@codemirror/autocomplete';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { liquid } from '@codemirror/lang-liquid';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { Decoration, EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { minimalSetup } from 'codemirror';
import { pointedVariable, setPointed } from './pointed-variable.ts';

export interface Suggestion {
  label: string;
  detail?: string;
}

export interface EditorOptions {
  parent: HTMLElement;
  /** Its name for screen readers. */
  name?: string;
  value: string;
  onChange: (value: string) => void;
  language: 'json' | 'javascript' | 'template';
  /** What may follow at the cursor, for the word before it. */
  complete?: ((word: string) => readonly Suggestion[]) | undefined;
  isReadOnly?: boolean;
  /** Told which variable somebody points at, with the mouse or the cursor. */
  onPoint?: ((name: string | undefined) => void) | undefined;
}

const languages = { json, javascript, template: liquid };

/** Opens CodeMirror in a shadow root: there its styles are constructed, so the page needs no inline styles. */
export function openEditor({
  parent,
  name = 'Code',
  value,
  onChange,
  language,
  complete,
  isReadOnly = false,
  onPoint,
}: EditorOptions) {
  // What the screen sets is not an edit of a person.
  let isSetting = false;
  // D89
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open', delegatesFocus: true });
  const view = new EditorView({
    root,
    state: EditorState.create({
      doc: value,
      extensions: [
        minimalSetup,
        languages[language](),
        language === 'template' ? markedReferences : [],
        EditorView.lineWrapping,
        // Tab reaches what can be edited anyway; said aloud, checkers see that the keyboard can scroll it.
        EditorView.contentAttributes.of({ 'aria-label': name, tabindex: '0' }),
        EditorState.readOnly.of(isReadOnly),
        autocompletion({ override: [(context) => suggestions(context, complete)] }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isSetting) onChange(update.state.doc.toString());
        }),
        onPoint ? pointedVariable(onPoint) : [],
        look,
      ],
    }),
  });
  root.append(view.dom);
  // The focus of the host goes to the first element that can take it.
  view.scrollDOM.addEventListener('focus', () => view.focus());
  // Escape that closes suggestions does not close the dialog around the editor.
  view.dom.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && event.defaultPrevented) event.stopPropagation();
  });
  return {
    set(next: string) {
      const now = view.state.doc.toString();
      if (next === now) return;
      isSetting = true;
      view.dispatch({ changes: { from: 0, to: now.length, insert: next } });
      isSetting = false;
    },
    point: (name: string | undefined) => view.dispatch({ effects: setPointed.of(name) }),
    close: () => view.destroy(),
  };
}

function suggestions(context: CompletionContext, complete: EditorOptions['complete']) {
  const word = context.matchBefore(/[\w.:[\]]*/);
  if (!word || (word.from === word.to && !context.explicit && !/\{\{\s*$/.test(before(context)))) return null;
  const options = complete?.(word.text) ?? [];
  return {
    from: word.from,
    options: options.map(({ label, detail }) => ({ label, ...(detail && { detail }) })),
    validFor: /^[\w.:[\]]*$/,
  };
}

const before = ({ state, pos }: CompletionContext) => state.sliceDoc(Math.max(0, pos - 10), pos);

const decorator = new MatchDecorator({
  regexp: /\{\{.*?\}\}/g,
  decoration: Decoration.mark({ class: 'cm-reference' }),
});

/** Marks `{{ references }}`, so that one sees in a text what is filled in. */
const markedReferences = ViewPlugin.define(
  (view) => ({
    decorations: decorator.createDeco(view),
    update(update: ViewUpdate) {
      this.decorations = decorator.updateDeco(update, this.decorations);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);

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

const look = [theme, syntaxHighlighting(colours)];
