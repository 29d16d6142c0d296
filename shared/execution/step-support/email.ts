import { hasControlCharacters, parseMailboxes } from '../../adapters/messages/mailboxes.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { recipientsMax } from '../../domain/flows/step-types/send-email.ts';

const subjectCharactersMax = 998;

interface Email {
  from: string;
  to: readonly string[];
  subject: string;
  html: string;
  text: string;
}

/** An email with its addresses parsed. @throws StepError if it cannot be sent */
export function checkEmail(email: Email): Email & { to: string[] } {
  const [from, ...others] = parseAddresses('from', [email.from]);
  if (!from || others.length > 0) throw new StepError('from must be one email address');
  const to = parseAddresses('to', email.to);
  if (to.length === 0) throw new StepError('to must be an email address or a list of email addresses');
  if (to.length > recipientsMax) {
    throw new StepError(`An email has at most ${recipientsMax} recipients; to has ${to.length}`);
  }
  const subject = email.subject.trim();
  if (!subject || subject.length > subjectCharactersMax || hasControlCharacters(subject)) {
    throw new StepError(`subject must be one line of 1 to ${subjectCharactersMax} characters`);
  }
  const { html, text } = email;
  if (!html.trim() && !text.trim())
    throw new StepError('The email has no body: html and text are both blank');
  return { from, to, subject, html, text };
}

function parseAddresses(member: string, texts: readonly string[]): string[] {
  try {
    return texts.flatMap(parseMailboxes);
  } catch (error) {
    throw new StepError(`${member}: ${(error as Error).message}`, { cause: error });
  }
}
