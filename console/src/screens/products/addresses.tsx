import { baseUrl } from '../../session/base-url.ts';
import { productTexts } from '../../texts/products.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { CopyButton } from '../../ui/forms/copy-button.tsx';
import type { SurfaceItemRow } from './parts/item-dialogs.tsx';
import type { SurfaceIds } from './parts/place.ts';
import { toolNameIn } from './requests/surface-call.ts';

const addressOf = ({ id, surfaceId }: SurfaceIds) => `${baseUrl}/v1/products/${id}/surfaces/${surfaceId}`;

/** The addresses of a surface as a whole, by its type. */
const paths: Record<string, readonly (readonly [title: string, path: string])[]> = {
  api: [
    [productTexts.baseUrl, ''],
    [productTexts.openApiDocument, '/openapi.json'],
  ],
  chat: [[productTexts.chatPage, '/page']],
  mcp: [[sharedTexts.mcpServer, '/mcp']],
  a2a: [[productTexts.agentCard, '/a2a/.well-known/agent-card.json']],
};

/** Where others reach a surface. */
export function Addresses({ place, type }: { place: SurfaceIds; type: string }) {
  const surfacePath = paths[type];
  if (!surfacePath) return null;
  return (
    <dl className="card products-addresses">
      {surfacePath.map(([title, path]) => {
        const url = addressOf(place) + path;
        return (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              {type === 'chat' ? (
                <a href={url} target="_blank" rel="noreferrer">
                  {url}
                </a>
              ) : (
                <code>{url}</code>
              )}
              <CopyButton text={url} label={productTexts.copyUrl} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

/** Below the address of the surface, by its type. */
const itemPaths: Record<string, string> = { api: '/run/', webhook: '/webhook/' };

interface Props {
  place: SurfaceIds;
  type: string;
  items: readonly SurfaceItemRow[];
  item: SurfaceItemRow;
}

/** Where others reach one item, or by which name. */
export function Address({ place, type, items, item }: Props) {
  const path = itemPaths[type];
  if (type === 'mcp') return <code>{toolNameIn(items, item)}</code>;
  if (!item.endpointSlug) return null;
  if (!path) return <code>{item.endpointSlug}</code>;
  return (
    <span className="products-address">
      <code>{`POST ${path}${item.endpointSlug}`}</code>
      <CopyButton text={addressOf(place) + path + item.endpointSlug} label={productTexts.copyUrl} />
    </span>
  );
}
