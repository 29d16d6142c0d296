import type { KnownWait, WaitsPort } from '../../adapters/ports/waits-port.ts';
import { foldAddress } from '../../core/email-address.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { wholeOrLength } from '../../core/text.ts';
import { AssigneeAddress, approvalStep, defaultChoices } from '../../domain/flows/step-types/approval.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';
import { noAnswer, suspendUntilAnswer } from '../step-support/wait-time.ts';

const timeoutMinutesDefault = 7 * 24 * 60;
const questionMax = 5_000;

export const approvalRunner = defineActingRunner(approvalStep, {
  async plan({ config, render }) {
    const { choices = defaultChoices, form, assignees = {} } = config;
    const [question, details] = await Promise.all([
      render(config.question),
      config.details === undefined ? undefined : render(config.details),
    ]);
    const emails = await Promise.all((assignees.emails ?? []).map(render));
    const escalateTo = await Promise.all((config.escalate?.emails ?? []).map(render));
    for (const email of [...emails, ...escalateTo]) {
      if (AssigneeAddress.safeParse(email).success) continue;
      throw new StepError(`An assignee is no email address: ${JSON.stringify(wholeOrLength(email, 100))}`);
    }
    if (question.trim() === '') throw new StepError('The question is empty; check the variables in it');
    const { webhookUrl, webhookFormat } = assignees;
    const asked = {
      emails: [...new Map(emails.map((email) => [foldAddress(email), email])).values()],
      webhookUrl,
      ...(webhookFormat && { webhookFormat }),
      ...(escalateTo.length > 0 && { escalateTo }),
    };
    return { request: { question, details, choices, form, ...asked } };
  },

  async perform({ escalateTo, ...request }, { config, ports, place }) {
    const {
      timeoutMinutes = timeoutMinutesDefault,
      onTimeout = 'fail',
      remindAfterMinutes,
      escalate,
    } = config;
    const at = place();
    const wait = await ports.waits.open(at.path, async () => ({
      kind: 'approval',
      place: at,
      timeoutMinutes,
      remindAfterMinutes,
      escalate: escalate && escalateTo && { afterMinutes: escalate.afterMinutes, emails: escalateTo },
      ...request,
      question: ports.shown(request.question).slice(0, questionMax),
      details: request.details && ports.shown(request.details).slice(0, 4 * questionMax),
    }));
    const expiresAt = new Date(wait.expiresAt);
    const { answer } =
      wait.answer || ports.now() < expiresAt ? wait : await toExpired(ports, at.path, onTimeout);
    if (!answer) return suspendUntilAnswer(wait);
    if (answer.choice === null) throw noAnswer(timeoutMinutes);
    return { output: { ...answer } };
  },
});

/** Ends the wait, unless an answer came in time. */
const toExpired = (
  { waits, now }: { waits: WaitsPort; now: () => Date },
  path: string,
  onTimeout: string,
): Promise<KnownWait> =>
  waits.expire(path, {
    choice: onTimeout === 'fail' ? null : onTimeout,
    values: null,
    comment: null,
    answeredBy: null,
    answeredAt: now().toISOString(),
  });
