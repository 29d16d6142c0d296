/** What a run goes on with. Of a callback only the values. */
export interface WaitAnswer {
  choice: string | null;
  values: unknown;
  comment: string | null;
  /** The user, the key, or the address to which the link was sent; null for a callback and after the time. */
  answeredBy: string | null;
  answeredAt: string;
}

export interface WaitPlace {
  path: string;
  stepId: string;
  stepName: string;
  stepPath: string;
  itemIndex?: number;
}

export type NewWait = { place: WaitPlace; timeoutMinutes: number } & (
  | {
      kind: 'approval';
      question: string;
      details: string | undefined;
      choices: readonly string[];
      form: Record<string, unknown> | undefined;
      emails: readonly string[];
      webhookUrl: string | undefined;
      webhookFormat?: 'standard' | 'slack' | 'teams' | undefined;
      remindAfterMinutes?: number | undefined;
      escalate?: { afterMinutes: number; emails: readonly string[] } | undefined;
    }
  | { kind: 'callback' }
);

export interface KnownWait {
  expiresAt: string;
  answer?: WaitAnswer | undefined;
  callbackUrl?: string | undefined;
  isAnnounced?: true | undefined;
  /** Whether an answer resumes the run. */
  canResume: boolean;
}

/** What a run waits for that somebody or something else gives. */
export interface WaitsPort {
  /** The wait at this path of the run; opened, and whoever is asked told, if there is none yet. @throws StepError */
  open: (path: string, wait: () => Promise<NewWait>) => Promise<KnownWait>;
  /** Remembers that what makes the address known was sent. */
  announced: (path: string) => Promise<void>;
  /** Ends a wait whose time is over. @returns it; with the answer, if one came before. */
  expire: (path: string, answer: WaitAnswer) => Promise<KnownWait>;
  /** Ends a wait whose answer the run needs no more. */
  close: (path: string) => Promise<void>;
}
