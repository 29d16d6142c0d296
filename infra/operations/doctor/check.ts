/** What a check found. A problem needs a repair; a warning may be intended. */
export interface CheckFinding {
  status: 'ok' | 'warning' | 'problem';
  message: string;
  /** What to do. */
  advice?: string;
}

export const ok = (message: string): CheckFinding => ({ status: 'ok', message });
export const warning = (message: string, advice: string): CheckFinding => ({
  status: 'warning',
  message,
  advice,
});
export const problem = (message: string, advice: string): CheckFinding => ({
  status: 'problem',
  message,
  advice,
});

export interface DoctorCheck<Subject> {
  id: string;
  /** What it checks, as a noun phrase. */
  what: string;
  run: (subject: Subject) => CheckFinding | Promise<CheckFinding>;
}

export type CheckResult = CheckFinding & { id: string; what: string };

const timeoutMs = 20_000;

/** Runs all checks at the same time. A check that fails or takes too long is a problem of its own. */
export const runChecks = <Subject>(
  checks: readonly DoctorCheck<Subject>[],
  subject: Subject,
  withinMs = timeoutMs,
): Promise<CheckResult[]> =>
  Promise.all(
    checks.map(async ({ id, what, run }) => ({ id, what, ...(await findingOf(run, subject, withinMs)) })),
  );

async function findingOf<Subject>(
  run: DoctorCheck<Subject>['run'],
  subject: Subject,
  withinMs: number,
): Promise<CheckFinding> {
  const late = Promise.withResolvers<CheckFinding>();
  const timer = setTimeout(
    () =>
      late.resolve(problem(`No result after ${withinMs / 1_000} s`, 'Check the network, then try again.')),
    withinMs,
  );
  try {
    return await Promise.race([Promise.try(run, subject), late.promise]);
  } catch (error) {
    return failure(error as Error);
  } finally {
    clearTimeout(timer);
  }
}

function failure({ name, message: whole }: Error): CheckFinding {
  // The SDK adds hints for developers in further lines.
  const [message = ''] = whole.split('\n');
  if (/AccessDenied|UnauthorizedOperation|AuthorizationError/.test(name))
    return warning(`Not checked: ${message}`, 'Run it with credentials that have this permission.');
  return problem(`${name}: ${message}`, 'Solve this, then run the command again.');
}
