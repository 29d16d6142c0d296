import { productTexts } from '../../../texts/products.ts';
import { CopyButton } from '../../../ui/forms/copy-button.tsx';
import { Segments } from '../../../ui/forms/segments.tsx';
import { TextBox } from '../../../ui/forms/text-box.tsx';
import { useKeptText } from '../../../ui/kept-choice.ts';

/** Texts by their titles, of which one is shown: the one that somebody chose last, if it is there. */
export function SnippetTabs({ snippets }: { snippets: Readonly<Record<string, string>> }) {
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
