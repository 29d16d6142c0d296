import * as z from 'zod';
import { log } from '../../shared/core/log.ts';
import { messageLimits } from '../../shared/domain/conversations/message-limits.ts';
import { AnswerBody } from '../../shared/domain/run-waits/run-wait.ts';
import { linkedWait, waitAnswers } from '../../shared/execution/run-waits/answer-wait.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { waitLinkScope } from './link-scope.ts';
import { Token } from './show.ts';

export const answerApproval = defineEndpoint({
  id: 'run-waits.answer',
  method: 'POST',
  path: '/v1/approvals/answer',
  noIdempotencyKey: 'A link takes one answer',
  permission: 'public',
  scope: waitLinkScope,
  summary: 'Answer by an approval link',
  description:
    'Answers the question of a run with the token of a link, which works once. 404 for a wrong token; 409 once it is answered, its time is over or its run has ended.',
  body: AnswerBody.extend({ token: Token }),
  response: {
    kind: 'json',
    bodies: { 200: z.object({ choice: z.string(), answeredAt: z.string() }) },
  },
  errors: [400, 404, 409, 413],
  needs: { linked: linkedWait, answers: waitAnswers, messages: messageLimits },

  async handle({ body: { token, ...waitAnswer } }, { linked, answers, messages }) {
    const { wait, address } = await linked.open(token, 'approval');
    const { answeredAt } = await answers.approve(wait, waitAnswer, address ?? '');
    if (address?.includes('@')) await messages.know(address).catch(logUnknown);
    return { choice: waitAnswer.choice, answeredAt };
  },
});

/** The answer counts all the same. */
const logUnknown = (error: unknown) => log.warn('Who answered could not be noted', { error });

export const handler = toLambda(answerApproval);
