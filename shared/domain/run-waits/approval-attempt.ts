import * as z from 'zod';
import { type PostedMessage, toWebhookBody } from '../../adapters/messages/webhook-formats.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { buildConsoleUrl } from '../../platform/http/dashboard-url.ts';
import type { Delivery } from '../deliveries/delivery.ts';
import { type AttemptResult, attempt, attemptServiceEmail } from '../deliveries/signed-request.ts';

export const ApprovalRequested = z.object({
  type: z.literal('approval.requested'),
  timestamp: z.string(),
  question: z.string(),
  details: z.string().nullable(),
  url: z.string(),
  /** Its entry in the inbox. */
  waitId: z.string().optional(),
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
  ['alert-emails', 'public-url'],
  ({ table, now }: Scope) =>
    async (delivery: Delivery): Promise<AttemptResult | undefined> => {
      const { approval, body, id } = delivery;
      if (!approval) return undefined;
      if ('url' in approval) {
        const headers = { 'content-type': 'application/json', 'webhook-id': id };
        const sent = toWebhookBody(body, approval, () =>
          renderApprovalMessage(ApprovalRequested.parse(parseExact(body))),
        );
        return attempt(table.tenant, { url: approval.url, headers, body: sent }, now());
      }
      const message = renderApprovalEmail(ApprovalRequested.parse(parseExact(body)));
      return attemptServiceEmail(approval.email, message, now());
    },
);

/** For a chat, in which many may read the link; one of them uses it. */
const renderApprovalMessage = ({
  question,
  details,
  url,
  waitId,
  flowName,
  expiresAt,
}: ApprovalRequested): PostedMessage => ({
  title: `${flowName ?? 'A flow'} asks`,
  texts: [question, details ?? '', `Until ${expiresAt}.`],
  links: [
    { label: 'Answer', url },
    ...(waitId === undefined ? [] : [{ label: 'Open in the console', url: toInboxAddress(waitId) }]),
  ],
});

/** Where the console shows a wait. */
export const toInboxAddress = (waitId: string): string => buildConsoleUrl(`inbox?wait=${waitId}`);

/** The texts of flows stand in an email as they are: it has no markup. */
function renderApprovalEmail({ question, details, url, flowName, expiresAt }: ApprovalRequested) {
  const lines = question.split(/[\r\n]+/);
  return {
    subject: `${flowName ?? 'A flow'} asks: ${(lines[0] ?? '').slice(0, 150)}`.replaceAll(/\p{Cc}/gu, ' '),
    text: [
      question,
      details,
      `Answer here: ${url}`,
      url.includes('/approvals#') ? `The link works once, until ${expiresAt}.` : `Until ${expiresAt}.`,
    ]
      .filter((part) => part)
      .join('\n\n'),
  };
}
