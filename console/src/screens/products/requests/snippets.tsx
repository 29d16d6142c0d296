import { useState } from 'react';
import { baseUrl } from '../../../session/base-url.ts';
import { productTexts } from '../../../texts/products.ts';
import { Choice } from '../../../ui/forms/choice.tsx';
import { isObject } from '../../../ui/values/schema.ts';
import { itemName, type SurfaceItemRow } from '../parts/item-dialogs.tsx';
import type { SurfaceIds } from '../parts/place.ts';
import { exampleBody } from './example-body.ts';
import { KeyBar } from './key-bar.tsx';
import { SnippetTabs } from './snippet-tabs.tsx';
import { agentCard, languages, mcpSettings, programs, widgetPage } from './snippet-texts.ts';
import { newMessageId, type SurfaceRequest, surfaceRequest, toolNameIn } from './surface-call.ts';
import { TestRequest } from './test-request.tsx';
import { useInsertedKey } from './use-inserted-key.ts';

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
      <Calls key={item.id} {...{ type, items, item, address }} insertedKey={inserted.key} />
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
          {...{ call, text, insertedKey }}
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
