import { homeTexts } from '../../../texts/home.ts';
import { Link } from '../../../ui/link.tsx';
import { Gallery } from '../../templates/gallery.tsx';

/** In place of charts without anything in them. */
export const FirstSteps = () => (
  <section aria-labelledby="templates">
    <div className="home-head">
      <div>
        <h2 id="templates">{homeTexts.startFromTemplate}</h2>
        <p className="help">{homeTexts.nothingHasRunYet}</p>
      </div>
      <Link to="/templates">{homeTexts.allTemplates}</Link>
    </div>
    <Gallery level={3} />
  </section>
);
