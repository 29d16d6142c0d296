import { useState } from 'react';
import { useAction } from '../../../api/queries.ts';
import { baseUrl } from '../../../session/base-url.ts';
import { productTexts } from '../../../texts/products.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Choice } from '../../../ui/forms/choice.tsx';
import { CopyButton } from '../../../ui/forms/copy-button.tsx';
import { Segments } from '../../../ui/forms/segments.tsx';
import { TextBox } from '../../../ui/forms/text-box.tsx';
import { useKeptText } from '../../../ui/kept-choice.ts';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { isObject } from '../../../ui/values/schema.ts';
import { itemName, type SurfaceItemRow } from '../parts/item-dialogs.tsx';
import type { SurfaceIds } from '../parts/place.ts';
import { agentCard, exampleBody, languages, mcpSettings, programs, widgetPage } from './snippet-texts.ts';
import { newMessageId, type SurfaceRequest, surfaceRequest, toolNameIn } from './surface-call.ts';
import { TestRequest } from './test-request.tsx';

interface Props {
  place: SurfaceIds;
  type: string;
  items: readonly SurfaceItemRow[];
}

const withSnippets = ['api', 'webhook', 'mcp', 'a2a', 'chat'];

/** How to call a surface: programs that run as they stand, and a request from here. */
export function Snippets({ place, type, items }: Props) {
  const address = `${baseUrl}/v1/products/${place.id}/surfaces/${place.surfaceId}`;
  const inserted = useInsertedKey(place, type, items);
  const [itemId, setItemId] = useState<string>();
  const item = items.find(({ id }) => id === itemId) ?? items.find(({ enabled }) => enabled) ?? items[0];
  if (!withSnippets.includes(type) || !item) return null;
  return (
    <section aria-labelledby="use" className="card">
      <h2 id="use">{productTexts.callIt}</h2>
      {items.length > 1 && type !== 'chat' && (
        <Choice
          label={productTexts.item}
          value={item.id}
          options={items.map((each) => ({ value: each.id, label: itemName(each).slice(0, 120) }))}
          onChange={setItemId}
        />
      )}
      <KeyBar type={type} inserted={inserted} />
      <Calls
        key={item.id}
        type={type}
        items={items}
        item={item}
        address={address}
        insertedKey={inserted.key}
      />
    </section>
  );
}

interface CallsProps extends Omit<Props, 'place'> {
  item: SurfaceItemRow;
  address: string;
  insertedKey: string | undefined;
}

function Calls({ type, items, item, address, insertedKey }: CallsProps) {
  const [text, setText] = useState(() => JSON.stringify(exampleBody(item.parametersSchema), undefined, 2));
  const [messageId, setMessageId] = useState(newMessageId);
  const renew = () => setMessageId(newMessageId());
  const parameters = parsed(text);
  const slug = item.endpointSlug ?? 'SLUG';
  const toolName = toolNameIn(items, item);
  const call = surfaceRequest({ type, address, slug, toolName, messageId, parameters: parameters ?? {} });
  return (
    <div className="products-calls">
      <SnippetTabs key={type} snippets={snippetsOf(type, address, call, insertedKey)} />
      {call && (
        <TestRequest
          call={call}
          text={text}
          insertedKey={insertedKey}
          name={itemName(item)}
          onText={(next) => {
            setText(next);
            renew();
          }}
          onSent={renew}
          problem={parameters ? undefined : productTexts.expectedAJsonObject}
        />
      )}
    </div>
  );
}

function snippetsOf(
  type: string,
  address: string,
  call: SurfaceRequest | undefined,
  key: string | undefined,
) {
  if (type === 'chat') return { [productTexts.chatWidget]: widgetPage(baseUrl, key) };
  const settings =
    type === 'mcp'
      ? { [productTexts.mcpClient]: mcpSettings(address, key) }
      : type === 'a2a'
        ? { [productTexts.agentCard]: agentCard(address) }
        : {};
  const texts = languages.map((language) => [language, call ? programs[language](call, key) : ''] as const);
  return { ...settings, ...Object.fromEntries(texts) };
}

function parsed(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Makes a credential and puts it into the snippets, or shows the one that was made. */
function KeyBar({ type, inserted }: { type: string; inserted: InsertedKey }) {
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

/** Texts by their titles, of which one is shown: the one that somebody chose last, if it is there. */
function SnippetTabs({ snippets }: { snippets: Readonly<Record<string, string>> }) {
  const [kept, keep] = useKeptText('products-snippet');
  const titles = Object.keys(snippets);
  const shown = titles.find((title) => title === kept) ?? titles[0] ?? '';
  const text = snippets[shown] ?? '';
  return (
    <div className="products-snippet">
      <div className="row">
        {titles.length > 1 && (
          <Segments
            label={productTexts.language}
            value={shown}
            options={titles.map((title) => ({ value: title, label: title }))}
            onChange={keep}
          />
        )}
        <CopyButton text={text} label={productTexts.copySnippet} />
      </div>
      <TextBox label={shown}>{text}</TextBox>
    </div>
  );
}

/** A new credential for the snippets. Lives in this screen only: nothing stores it. */
function useInsertedKey(place: SurfaceIds, type: string, items: readonly SurfaceItemRow[]) {
  const [key, setKey] = useState<string>();
  const createKey = useAction('surface-keys.create', {
    onSuccess: (created) => setKey(created.key),
  });
  const createToken = useAction('client-tokens.create', { onSuccess: ({ token }) => setKey(token) });
  const isChat = type === 'chat';
  const { error, isPending } = isChat ? createToken : createKey;
  return {
    key,
    error,
    isPending,
    create() {
      if (!isChat) {
        createKey.mutate({
          params: place,
          body: { name: productTexts.madeForSnippets, environment: 'test' },
        });
        return;
      }
      const flowIds = items.flatMap(({ flowId }) => flowId ?? []);
      const agentIds = items.flatMap(({ agentId }) => agentId ?? []);
      const allowedOrigins = ['localhost'];
      const productSurfaceId = place.surfaceId;
      createToken.mutate({
        body: { name: productTexts.madeForSnippets, allowedOrigins, productSurfaceId, flowIds, agentIds },
      });
    },
  };
}

type InsertedKey = ReturnType<typeof useInsertedKey>;
