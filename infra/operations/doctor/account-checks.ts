import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetAccountCommand, GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { quotas, sizeShare } from '../../aws/sizes/quotas.ts';
import { workersMax } from '../../resources.ts';
import { type CheckFinding, type DoctorCheck, ok, problem, warning } from './check.ts';
import type { Subject } from './deployment-checks.ts';

/** The part of a quota above which it is a warning. */
const nearly = 0.8;
/** What Lambda keeps unreserved in every account. */
const unreservedMin = 100;
/** What requests need while the workers take all that they may. */
const requestsMin = 200;

export const accountChecks: readonly DoctorCheck<Subject>[] = [
  { id: 'concurrency', what: 'Lambda concurrency', run: concurrency },
  { id: 'code-storage', what: 'Lambda code storage', run: codeStorage },
  { id: 'stack-resources', what: 'Resources of the stacks', run: stackResources },
  { id: 'email', what: 'Email', run: email },
];

async function concurrency({ settings }: Subject): Promise<CheckFinding> {
  const { env, authorizersReserved } = settings;
  const { AccountLimit } = await new LambdaClient({}).send(new GetAccountSettingsCommand({}));
  const quota = AccountLimit?.ConcurrentExecutions ?? 0;
  const workers = workersMax(env, settings.workers);
  // A new account has 10, and the quota that all other accounts have is granted without questions.
  const enough = Math.max(1_000, authorizersReserved + workers + requestsMin);
  const advice = `aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${enough}`;
  if (authorizersReserved > 0 && quota < authorizersReserved + unreservedMin)
    return problem(`${quota}: too few to reserve ${authorizersReserved} for the authorizer`, advice);
  const left = quota - authorizersReserved - workers;
  const shown = `${quota}: the workers take at most ${workers}, the authorizer has ${authorizersReserved} reserved`;
  return left >= requestsMin
    ? ok(`${shown}, ${left} remain for requests`)
    : warning(`${shown}: while they do, requests have ${Math.max(0, left)} and are throttled beyond`, advice);
}

/** Canary releases add a version of each changed Lambda to it. */
async function codeStorage(): Promise<CheckFinding> {
  const { AccountLimit, AccountUsage } = await new LambdaClient({}).send(new GetAccountSettingsCommand({}));
  const gb = (bytes = 0) => (bytes / 2 ** 30).toFixed(1);
  const [used, quota] = [AccountUsage?.TotalCodeSize ?? 0, AccountLimit?.TotalCodeSize ?? 0];
  const shown = `${gb(used)} of ${gb(quota)} GB`;
  return used < quota * nearly
    ? ok(shown)
    : warning(
        shown,
        'Delete old versions of Lambdas, or request an increase of "Function and layer storage".',
      );
}

/** Of the largest stack, and of all together: both quotas are CloudFormation's, which cannot be raised. */
function stackResources({ resources }: Subject): CheckFinding {
  const counts = Object.entries(Object.groupBy(resources, ({ stack }) => stack));
  const largest = Math.max(0, ...counts.map(([, some = []]) => some.length));
  const shown = `${largest} of ${quotas.resources.max} in a stack, ${resources.length} of ${quotas.operation.max} in ${counts.length} stacks`;
  const isLarge =
    largest >= quotas.resources.max * sizeShare || resources.length >= quotas.operation.max * sizeShare;
  // D145
  return isLarge ? warning(shown, 'docs/decisions/operation.md#infrastructure.') : ok(shown);
}

async function email({ settings }: Subject): Promise<CheckFinding> {
  const { userEmailSender, userEmailIdentity = userEmailSender } = settings;
  const identities = [...settings.sesIdentities, ...(userEmailIdentity ? [userEmailIdentity] : [])];
  if (identities.length === 0) return ok('No identities: send-email steps fail (-c sesIdentities=…)');
  const client = new SESv2Client({});
  const states = await Promise.all(
    identities.map(async (EmailIdentity) => {
      const { VerifiedForSendingStatus } = await client
        .send(new GetEmailIdentityCommand({ EmailIdentity }))
        .catch((error) => {
          if (error.name !== 'NotFoundException') throw error;
          return { VerifiedForSendingStatus: false };
        });
      return { EmailIdentity, isVerified: VerifiedForSendingStatus === true };
    }),
  );
  const unverified = states.filter(({ isVerified }) => !isVerified).map(({ EmailIdentity }) => EmailIdentity);
  if (unverified.length > 0)
    return problem(
      `Not verified: ${unverified.join(', ')}`,
      'aws sesv2 create-email-identity --email-identity …',
    );
  const { ProductionAccessEnabled, SendQuota } = await client.send(new GetAccountCommand({}));
  if (!ProductionAccessEnabled)
    return warning(
      'The account is in the sandbox: only verified recipients get email',
      'Request production access in SES.',
    );
  const { Max24HourSend = 0, SentLast24Hours = 0 } = SendQuota ?? {};
  const shown = `${identities.join(', ')}; ${SentLast24Hours} of ${Max24HourSend} emails in 24 hours`;
  return SentLast24Hours < Max24HourSend * nearly
    ? ok(shown)
    : warning(shown, 'Request an increase of the sending quota in SES.');
}
