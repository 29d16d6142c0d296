import { Button } from '../../ui/forms/button.tsx';
import { CopyButton } from '../../ui/forms/copy-button.tsx';
import { Failure } from '../../ui/loading/failure.tsx';
import type { InsertedKey } from './use-inserted-key.ts';

/** Makes a credential and puts it into the snippets, or shows the one that was made. */
export function KeyBar({ type, inserted }: { type: string; inserted: InsertedKey }) {
  const { key, create, isPending, error } = inserted;
  const isChat = type === 'chat';
  const what = isChat ? 'client token' : 'key';
  return (
    <div className="products-key">
      {key ? (
        <p role="status">
          {!isChat && <strong>Store this key now: it is shown once. </strong>}
          The snippets contain this {what} until you leave this page. <code>{key}</code>{' '}
          <CopyButton text={key} label={`Copy ${what}`} />
        </p>
      ) : (
        <div className="row">
          <Button onPress={create} isPending={isPending}>
            Create {what} and insert
          </Button>
          <span className="help">
            {isChat
              ? 'The snippet needs a client token. A new one works on pages of localhost; add your site in its settings.'
              : 'The snippets read the variable SURFACE_KEY. A new test key runs drafts, and calls this surface only.'}
          </span>
        </div>
      )}
      {error && <Failure error={error} />}
    </div>
  );
}
