import * as z from 'zod';

export const priorities = ['high', 'normal', 'low'] as const;
export type Priority = (typeof priorities)[number];

/** What every start on records says of its rank among the batches of its tenant. */
export const priorityOption = {
  priority: z.enum(priorities).optional().meta({
    description:
      'While the batches of the tenant want more slots than it has, those of the three priorities share them 8 : 3 : 1, and a batch that runs gives slots up. Default: `normal`',
  }),
};
