import { useApi } from '../../api/api.ts';
import { shellTexts } from '../../texts/shell.ts';
import { Icon } from '../../ui/icon.tsx';

/** Who is signed in, as the button of the account says it. */
export function Who() {
  const { user, organization } = useApi().credential;
  return (
    <>
      <span className="visually-hidden">{shellTexts.account}</span>
      <span className="avatar" aria-hidden="true">
        {user.slice(0, 1).toUpperCase()}
      </span>
      <span className="account-name">
        <bdi>{user}</bdi>
        {organization && (
          <span className="help">
            <bdi>{organization}</bdi>
          </span>
        )}
      </span>
      <Icon name="chevronsUpDown" />
    </>
  );
}
