import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { covers } from '../../../../shared/platform/identity/permissions.ts';
import { useApi } from '../../api/api.ts';
import { commandLineTexts } from '../../texts/command-line.ts';
import { CopyButton } from '../../ui/forms/copy-button.tsx';
import { TextBox } from '../../ui/forms/text-box.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { LoginDecision } from './decision.tsx';

const code = (text: string): ReactNode => <code>{text}</code>;

/** Where `agent-flow login` sends a person, who allows it to get an API key, or not. */
export function Login() {
  const request = parseLoginRequest(useParams({ strict: false }));
  const { kind, permissions } = useApi().credential;
  const mayCreateKeys = permissions !== null && covers(permissions, 'API_KEYS:WRITE');
  return (
    <ScreenPage title={commandLineTexts.allowTheCommandLine}>
      {request === undefined ? (
        <p>{commandLineTexts.addressIsIncomplete(code)}</p>
      ) : kind === 'api-key' ? (
        <p>{commandLineTexts.keysAllowNothing(code)}</p>
      ) : mayCreateKeys ? (
        <AllowLogin request={request} />
      ) : (
        <p>{commandLineTexts.sessionMayNotCreateKeys(code)}</p>
      )}
    </ScreenPage>
  );
}

type Outcome = { kind: 'code'; code: string } | { kind: 'denied' } | { kind: 'sent' };

/** Asks the person, and gives the answer to the command line, or the code to the person. */
function AllowLogin({ request: { host, challenge, callback } }: { request: LoginRequest }) {
  const { user, organization } = useApi().credential;
  const [outcome, setOutcome] = useState<Outcome>();

  function send(answer: Readonly<Record<string, string>>, byHand: Outcome) {
    setOutcome(callback ? { kind: 'sent' } : byHand);
    // Back must not lead to a question that is answered.
    if (callback) location.replace(callbackUrl(callback, answer));
  }

  if (outcome) return <Answered outcome={outcome} />;
  return (
    <div className="stack login-question">
      <p>{commandLineTexts.computerAsks(<strong>{host}</strong>, <bdi>{user}</bdi>)}</p>
      {organization && <p>{commandLineTexts.inOrganization(<bdi>{organization}</bdi>)}</p>}
      <p className="login-warning">{commandLineTexts.onlyIfYouAsked(code)}</p>
      <LoginDecision
        host={host}
        challenge={challenge}
        onAllowed={(code) => send({ code }, { kind: 'code', code })}
        onDenied={() => send({ error: 'access_denied' }, { kind: 'denied' })}
      />
    </div>
  );
}

function Answered({ outcome }: { outcome: Outcome }) {
  if (outcome.kind !== 'code') {
    const isDenied = outcome.kind === 'denied';
    return <p role="status">{isDenied ? commandLineTexts.loginDenied : commandLineTexts.goBackToTerminal}</p>;
  }
  return (
    <div className="stack login-question">
      <p role="status">{commandLineTexts.pasteTheCode(code('agent-flow login'))}</p>
      <TextBox label={commandLineTexts.theCode}>{outcome.code}</TextBox>
      <CopyButton text={outcome.code} />
      <p className="login-warning">{commandLineTexts.giveItToNobody}</p>
    </div>
  );
}

/** A command line that asks for a key, as its address says. */
interface LoginRequest {
  host: string;
  challenge: string;
  /** Where the command line waits for the answer; absent if the person types the code. */
  callback?: { port: string; state: string };
}

const forms = {
  host: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
  challenge: /^[\w-]{43}$/,
  state: /^[\w-]{16,128}$/,
};

/** Anybody can write an address: whatever is not in the form of the command line is refused. */
function parseLoginRequest(search: Readonly<Record<string, string | undefined>>): LoginRequest | undefined {
  const { host = '', challenge = '', port, state = '' } = search;
  if (!forms.host.test(host) || !forms.challenge.test(challenge)) return undefined;
  if (port === undefined) return { host, challenge };
  return isPort(port) && forms.state.test(state) ? { host, challenge, callback: { port, state } } : undefined;
}

const isPort = (text: string) => /^[1-9]\d{3,4}$/.test(text) && Number(text) <= 65_535;

/** On this computer, whatever the address of the page says. */
function callbackUrl(
  { port, state }: { port: string; state: string },
  answer: Readonly<Record<string, string>>,
): string {
  return `http://127.0.0.1:${port}/callback?${new URLSearchParams({ ...answer, state })}`;
}
