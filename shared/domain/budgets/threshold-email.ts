import * as z from 'zod';

const Body = z.object({
  timestamp: z.string(),
  data: z.object({
    name: z.string(),
    threshold: z.number(),
    spent: z.string(),
    limit: z.string(),
    periodStart: z.string(),
  }),
});

/** The text of an email that tells of a threshold. @param body What the webhook gets. */
export function thresholdEmail(body: string): { subject: string; text: string } {
  const { data, timestamp } = Body.parse(JSON.parse(body));
  const { name, threshold, spent, limit, periodStart } = data;
  return {
    subject: `The budget ${JSON.stringify(name)} has reached ${threshold} %`,
    text: [
      `$${spent} of $${limit} are spent since ${periodStart}.`,
      `The budget reached ${threshold} % at ${timestamp}.`,
    ].join('\n'),
  };
}
