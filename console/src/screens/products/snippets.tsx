import { baseUrl } from '../../session/base-url.ts';
import { CopyButton } from '../../ui/forms/copy-button.tsx';
import { TextBox } from '../../ui/forms/text-box.tsx';
import type { Place } from './place.ts';
import { snippetsOf } from './snippet-texts.ts';

interface Props {
  place: Place;
  type: string;
  slugs: readonly string[];
}

/** How to call a surface: to copy into a program. */
export function Snippets({ place, type, slugs }: Props) {
  const address = `${baseUrl}/v1/products/${place.id}/surfaces/${place.surfaceId}`;
  const snippets = snippetsOf({ type, address, baseUrl, slug: slugs[0] ?? 'SLUG' });
  if (snippets.length === 0) return null;
  return (
    <section aria-labelledby="use">
      <h2 id="use">How to use it</h2>
      {type === 'chat' && (
        <p>
          <a href={`${address}/page`} target="_blank" rel="noreferrer">
            Open the chat page
          </a>
        </p>
      )}
      {snippets.map(({ title, text }) => (
        <details key={title} className="products-snippet">
          <summary>{title}</summary>
          <TextBox label={title}>{text}</TextBox>
          <CopyButton text={text} />
        </details>
      ))}
    </section>
  );
}
