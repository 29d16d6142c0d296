import * as z from 'zod';

/** What every start on records says of earlier results. */
export const reuseOptions = {
  reuse: z.enum(['never', 'unchanged']).optional().meta({
    description:
      'With `unchanged`, a step that costs or acts does not run if the flow has a completed result of it for the record whose request was the same: the model with its settings and the rendered messages, or the rendered call. Its result is taken over at no cost. Default: `never`',
  }),
  reuseMaxAgeDays: z.int().min(1).max(3_650).optional().meta({
    description: 'How old a result may be that is taken over',
  }),
};

const ReuseOptions = z.object(reuseOptions);
export type ReuseOptions = z.output<typeof ReuseOptions>;
