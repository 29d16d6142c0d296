import { productTexts } from '../../../texts/products.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { CopyButton } from '../../../ui/forms/copy-button.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import type { InsertedKey } from './use-inserted-key.ts';

/** Makes a credential and puts it into the snippets, or shows the one that was made. */
export function KeyBar({ type, inserted }: { type: string; inserted: InsertedKey }) {
  const { key, create, isPending, error } = inserted;
  const isChat = type === 'chat';
  return (
    <div className="products-key">
      {key ? (
        <p role="status">
          {!isChat && <strong>{productTexts.storeKeyNow} </strong>}
          {(isChat ? productTexts.snippetsContainToken : productTexts.snippetsContainKey)(<code>{key}</code>)}{' '}
          <CopyButton text={key} label={isChat ? productTexts.copyToken : productTexts.copyKey} />
        </p>
      ) : (
        <div className="row">
          <Button onPress={create} isPending={isPending}>
            {isChat ? productTexts.createTokenAndInsert : productTexts.createKeyAndInsert}
          </Button>
          <span className="help">
            {isChat ? productTexts.aboutTokenOfSnippet : productTexts.aboutKeyOfSnippets}
          </span>
        </div>
      )}
      {error && <FailureNotice error={error} />}
    </div>
  );
}
