import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';

/** Highlights a variable, because somebody points at it somewhere. */
export const setPointed = StateEffect.define<string | undefined>();

/** A text that was just opened may not be parsed up to there. */
const parseMs = 100;

const pointed = StateField.define<string | undefined>({
  create: () => undefined,
  update: (before, { effects }) =>
    effects.reduce((now, effect) => (effect.is(setPointed) ? effect.value : now), before),
});

/** The variable in a template or script that stands at a place; of `order.total`, it is `order`. */
export function variableAt(state: EditorState, place: number): string | undefined {
  return variableOf(state, place, 1) ?? variableOf(state, place, -1);
}

function variableOf(state: EditorState, place: number, side: 1 | -1): string | undefined {
  let node = (ensureSyntaxTree(state, place, parseMs) ?? syntaxTree(state)).resolveInner(place, side);
  if (node.name !== 'VariableName') while (isMember(node.parent)) node = node.parent;
  while (isMember(node) && node.firstChild) node = node.firstChild;
  return node.name === 'VariableName' ? state.sliceDoc(node.from, node.to) : undefined;
}

type SyntaxNode = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>;

/** `order.total`, `items[0]` */
const isMember = (node: SyntaxNode | null): node is SyntaxNode =>
  node?.name === 'MemberExpression' || node?.name === 'SubscriptExpression';

const highlight = Decoration.mark({ class: 'cm-pointed' });

const highlighted = ViewPlugin.define(
  (view) => ({
    decorations: decorationsOf(view),
    update({ view: now, docChanged, viewportChanged, startState, state }: ViewUpdate) {
      if (docChanged || viewportChanged || startState.field(pointed) !== state.field(pointed))
        this.decorations = decorationsOf(now);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);

function decorationsOf({ state, visibleRanges }: EditorView): DecorationSet {
  const name = state.field(pointed);
  if (name === undefined) return Decoration.none;
  const found = visibleRanges.flatMap(({ from, to }) => {
    const ranges: ReturnType<typeof highlight.range>[] = [];
    syntaxTree(state).iterate({
      from,
      to,
      enter(node) {
        if (node.name === 'VariableName' && state.sliceDoc(node.from, node.to) === name)
          ranges.push(highlight.range(node.from, node.to));
      },
    });
    return ranges;
  });
  return Decoration.set(found);
}

/** Tells which variable somebody points at, with the mouse or the cursor, and highlights one on request. */
export function pointedVariable(onPoint: (name: string | undefined) => void): Extension {
  let last: string | undefined;
  const report = (name: string | undefined) => {
    if (name === last) return;
    last = name;
    onPoint(name);
  };
  return [
    pointed,
    highlighted,
    EditorView.domEventHandlers({
      pointermove({ clientX: x, clientY: y }, view) {
        const place = view.posAtCoords({ x, y });
        report(place === null ? undefined : variableAt(view.state, place));
      },
      // Not `pointerleave`: React acts on what the pointer comes to before that.
      pointerout({ relatedTarget }, { contentDOM }) {
        if (!(relatedTarget instanceof Node && contentDOM.contains(relatedTarget))) report(undefined);
      },
      blur: () => report(undefined),
    }),
    EditorView.updateListener.of(({ view, selectionSet, focusChanged, state }) => {
      if (view.hasFocus && (selectionSet || focusChanged))
        report(variableAt(state, state.selection.main.head));
    }),
  ];
}
