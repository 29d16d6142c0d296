import { sendEmailBySes } from '../../adapters/messages/email.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { type AttemptResult, attemptEmail } from './attempt.ts';

/** Sends an email of the service itself. */
export const attemptServiceEmail = (
  to: string,
  message: { subject: string; text: string },
  now: Date,
): Promise<AttemptResult> =>
  attemptEmail(async () => sendEmailBySes({ from: sender(), to: [to], ...message }), now);

/** @throws StepError if the deployment sends no emails. */
function sender(): string {
  const address = process.env.ALERT_EMAIL_SENDER;
  if (address) return address;
  throw new StepError(
    'The deployment has no address to send emails from; set the context value sesIdentities',
  );
}
