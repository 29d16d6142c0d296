import { sendEmailBySes } from '../../adapters/messages/email.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { type AttemptResult, attemptEmail } from './attempt.ts';

/** Sends an email of the service itself. @param before Counts it, unless it is counted already. */
export const attemptServiceEmail = (
  to: string,
  message: { subject: string; text: string },
  now: Date,
  before?: (addresses: string[]) => Promise<void>,
): Promise<AttemptResult> =>
  attemptEmail(async () => {
    const from = readSender();
    await before?.([to]);
    return sendEmailBySes({ from, to: [to], ...message });
  }, now);

/** @throws StepError if the deployment sends no emails. */
function readSender(): string {
  const address = process.env.ALERT_EMAIL_SENDER;
  if (address) return address;
  throw new StepError(
    'The deployment has no address to send emails from; set the context value sesIdentities',
  );
}
