import { Decoration, MatchDecorator, ViewPlugin, type ViewUpdate } from '@codemirror/view';

const decorator = new MatchDecorator({
  regexp: /\{\{.*?\}\}/g,
  decoration: Decoration.mark({ class: 'cm-reference' }),
});

/** Marks `{{ references }}`, so that one sees in a text what is filled in. */
export const markedReferences = ViewPlugin.define(
  (view) => ({
    decorations: decorator.createDeco(view),
    update(update: ViewUpdate) {
      this.decorations = decorator.updateDeco(update, this.decorations);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);
