import * as z from 'zod';
import { parseExact } from '../../core/json/exact-json.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import { type AttemptResult, attempt, attemptServiceEmail } from '../deliveries/signed-request.ts';

export const ApprovalRequested = z.object({
  type: z.literal('approval.requested'),
  timestamp: z.string(),
  question: z.string(),
  details: z.string().nullable(),
  url: z.string(),
  runId: z.string(),
  stepId: z.string(),
  itemKey: z.string().nullable(),
  choices: z.array(z.string()),
  flowName: z.string().nullable(),
  expiresAt: z.string(),
});
export type ApprovalRequested = z.infer<typeof ApprovalRequested>;

/** Sends somebody the question of a run, with a link to answer it. */
export const approvalAttempt = /* @__PURE__ */ using(
  ['alert-emails'],
  ({ table, now }: Scope) =>
    async (delivery: Delivery): Promise<AttemptResult | undefined> => {
      const { approval, body, id } = delivery;
      if (!approval) return undefined;
      if ('url' in approval) {
        const headers = { 'content-type': 'application/json', 'webhook-id': id };
        return attempt(table.tenant, { url: approval.url, headers, body }, now());
      }
      const message = renderApprovalEmail(ApprovalRequested.parse(parseExact(body)));
      return attemptServiceEmail(approval.email, message, now());
    },
);

/** The texts of flows stand in an email as they are: it has no markup. */
function renderApprovalEmail({ question, details, url, flowName, expiresAt }: ApprovalRequested) {
  const lines = question.split(/[\r\n]+/);
  return {
    subject: `${flowName ?? 'A flow'} asks: ${(lines[0] ?? '').slice(0, 150)}`.replaceAll(/\p{Cc}/gu, ' '),
    text: [
      question,
      details,
      `Answer here: ${url}`,
      url.includes('#') ? `The link works once, until ${expiresAt}.` : `Until ${expiresAt}.`,
    ]
      .filter((part) => part)
      .join('\n\n'),
  };
}
