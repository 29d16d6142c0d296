export interface MessagesPort {
  /** @throws StepError, like the others. */
  email: (message: {
    from: string;
    to: string[];
    subject: string;
    html?: string | undefined;
    text?: string | undefined;
  }) => Promise<{ messageId: string }>;
  sms: (message: {
    from?: string | undefined;
    to: string;
    message: string;
  }) => Promise<{ messageId: string }>;
  event: (event: { type: string; payload: unknown }) => Promise<{ eventId: string }>;
}
