import type { TankStatus } from '@tankwatch/client';
import { ownStepsFor, type Product } from '../../../../src/values/products.ts';
import type { Session } from '../api.ts';
import { useNow } from '../clock.ts';
import { Facts } from '../parts/facts.tsx';
import { UprightGlyph } from '../parts/glyph.tsx';
import { Icon, StatusMark } from '../parts/marks.tsx';
import { telOf } from '../parts/phone.tsx';
import { usePreferences, useTexts, useTranslation } from '../preferences_and_words.tsx';
import { addressOf, levelOf, msUntil, nameOf, volumeLeft } from '../status.ts';
import { lossMs } from '../time_texts.ts';
import { LEAK_TEXTS_OF } from '../translations/leak.ts';
import '../styles/owner.css';

interface OwnerLeakProps {
  status: TankStatus;
  organization: Session['organization'];
}

/** The notice to an owner whose tank leaks: the safety steps first, then whom to call, then the figures. */
export function OwnerLeak({ status, organization }: OwnerLeakProps) {
  const { format } = usePreferences();
  const texts = useTexts(LEAK_TEXTS_OF)(status.product).owner;
  const nowMs = useNow();
  const ownSteps = ownStepsFor(status.product, organization.defaultProduct, organization.safetySteps);
  const { tank, loss, losing_seen_at } = status;
  const since = loss?.began_at ?? losing_seen_at;
  return (
    <article className="owner-tank leaking">
      <div className="danger-head" role="alert">
        <h2>
          <StatusMark status="losing" />
          {texts.title}
        </h2>
        <p>{texts.since(nameOf(tank), addressOf(status), since === null ? '' : format.recent(since, nowMs))}</p>
      </div>
      {ownSteps === null ? (
        <ol className="safety">
          {texts.first.map(({ step, help }) => (
            <li key={step}>
              <b>{step}</b>
              {help !== '' && <p>{help}</p>}
            </li>
          ))}
          {(texts.emergencyIf !== null || organization.phone !== null) && (
            <li>
              <b>{texts.call}</b>
              <Calls product={status.product} organization={organization} />
            </li>
          )}
          <li>
            <b>{texts.stay}</b>
            <p>{texts.stayHelp(organization.name)}</p>
          </li>
        </ol>
      ) : (
        <>
          <ol className="safety">
            {ownSteps.map((step) => (
              <li key={step}>
                <b>{step}</b>
              </li>
            ))}
          </ol>
          <Calls product={status.product} organization={organization} />
        </>
      )}
      <GaugeFacts status={status} nowMs={nowMs} />
    </article>
  );
}

/** The numbers to call. They are below the advice to leave, because nobody should phone beside a leak. */
function Calls({ product, organization }: Pick<OwnerLeakProps, 'organization'> & { product: Product }) {
  const { owner } = useTranslation();
  const texts = useTexts(LEAK_TEXTS_OF)(product).owner;
  const { emergencyNumber, phone, name } = organization;
  return (
    <>
      {texts.emergencyIf !== null && (
        <a className="big-call" href={`tel:${emergencyNumber}`}>
          <strong>
            <Icon name="phone" />
            {texts.callNumber(emergencyNumber)}
          </strong>
          <span>{texts.emergencyIf}</span>
        </a>
      )}
      {phone !== null && (
        <a className="big-call second" href={telOf(phone)}>
          <strong>
            <Icon name="phone" />
            {owner.call(name)}
          </strong>
          <span>{texts.usIf(phone.replaceAll(' ', '\u00A0'))}</span>
        </a>
      )}
    </>
  );
}

function GaugeFacts({ status, nowMs }: { status: TankStatus; nowMs: number }) {
  const { words, format } = usePreferences();
  const texts = useTexts(LEAK_TEXTS_OF)(status.product).owner;
  const { reading, loss, volume } = status;
  const level = levelOf(status);
  const left = volumeLeft(status);
  const emptyMs = msUntil(loss?.empty_at, nowMs);
  return (
    <>
      <h3>{texts.gauge}</h3>
      <div className="owner-level">
        <UprightGlyph status={status} />
        <div>
          <div className="owner-figure">{level === null ? words.values.unknown : format.percent(level)}</div>
          {left !== null && <div>{texts.left(format.volume(left, volume.unit))}</div>}
          {emptyMs !== null && (
            <div className="strong hot">
              {emptyMs <= 0 ? words.leak.emptyNow : texts.emptyIn(format.longDuration(emptyMs))}
            </div>
          )}
        </div>
      </div>
      <Facts
        className="lines"
        facts={[
          reading !== null && [
            texts.reading,
            `${format.dateTime(reading.created_at)} ${reading.is_confirmed ? '' : `(${words.leak.notConfirmed})`}`,
          ],
          loss !== null && [
            texts.loss,
            texts.lossText(format.volume(loss.volume, volume.unit), format.longDuration(lossMs(loss))),
          ],
          volume.use_per_day !== null && [
            words.leak.usual,
            words.values.perDay(format.volume(volume.use_per_day, volume.unit)),
          ],
        ]}
      />
      <p className="meta">{texts.canBeWrong}</p>
    </>
  );
}
