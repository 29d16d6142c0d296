import { useParams } from '@tanstack/react-router';
import { covers } from '../../../../shared/platform/identity/permissions.ts';
import { useApi } from '../../api/api.ts';
import { commandLineTexts } from '../../texts/command-line.ts';
import { ScreenPage } from '../../ui/page.tsx';
import { AllowLogin } from './allow-login.tsx';
import { parseLoginRequest } from './login-request.ts';

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
