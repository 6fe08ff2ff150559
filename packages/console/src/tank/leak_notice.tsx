import type { TankStatus } from '@tankwatch/client';
import { useRef } from 'react';
import { useNow } from '../clock.ts';
import { CopyButton } from '../parts/copy_button.tsx';
import { Icon, StatusMark } from '../parts/marks.tsx';
import { Panel } from '../parts/panel.tsx';
import { telOf } from '../parts/phone.tsx';
import { Phones } from '../parts/phones.tsx';
import { usePreferences, useTexts } from '../preferences_and_words.tsx';
import { addressOf, levelOf, msUntil, volumeLeft } from '../status.ts';
import { joined, lossTexts } from '../time_texts.ts';
import { LEAK_TEXTS_OF } from '../translations/leak.ts';
import { PHONE_TEXTS } from '../translations/phones.ts';
import { Figure } from './tank_figures.tsx';

interface LeakNoticeProps {
  status: TankStatus;
  emergencyNumber: string;
}

/** The notice for a tank that loses gas: what is known of the loss and its rate, and what to do first. */
export function LeakNotice({ status, emergencyNumber }: LeakNoticeProps) {
  const { words, format } = usePreferences();
  const { leak, values } = words;
  const texts = useTexts(LEAK_TEXTS_OF)(status.product);
  const nowMs = useNow();
  const { reading, loss, volume } = status;
  const level = levelOf(status);
  const left = volumeLeft(status);
  const leftMs = msUntil(loss?.empty_at, nowMs);
  const rate = lossTexts(status, words, format);
  const since = loss?.began_at ?? status.losing_seen_at;
  return (
    <>
      <section className="leak" aria-labelledby="leak">
        <h2 id="leak">
          <StatusMark status="losing" />
          <span className="leak-title">
            {since === null ? texts.owner.title : leak.title(format.recent(since, nowMs))}
          </span>
          {since !== null && <span className="meta">{format.ago(nowMs - Date.parse(since))}</span>}
        </h2>
        <dl className="figures leak-figures">
          <Figure
            term={reading === null ? values.noReading : leak.now(format.recent(reading.created_at, nowMs))}
            detail={reading?.is_confirmed === false ? leak.notConfirmed : ''}
          >
            {joined(level === null ? '' : format.percent(level), left === null ? '' : format.volume(left, volume.unit))}
          </Figure>
          <Figure term={leak.losingNow} detail={rate.detail} isHot>
            {rate.main}
          </Figure>
          <Figure
            term={leak.empty}
            detail={
              typeof loss?.empty_at === 'string' ? leak.atRateAt(format.recent(loss.empty_at, nowMs)) : leak.noRate
            }
            isHot
          >
            {leftMs === null
              ? values.notKnown
              : leftMs <= 0
                ? values.emptyNow
                : leak.aboutTime(format.longDuration(leftMs))}
          </Figure>
          {volume.use_per_day !== null && (
            <Figure term={leak.usual} detail={leak.usualNot}>
              {values.perDay(format.volume(volume.use_per_day, volume.unit))}
            </Figure>
          )}
        </dl>
      </section>
      <Steps status={status} emergencyNumber={emergencyNumber} />
    </>
  );
}

/** The phone numbers for the dispatcher, who calls first. */
function Steps({ status, emergencyNumber }: LeakNoticeProps) {
  const { format } = usePreferences();
  const texts = useTexts(LEAK_TEXTS_OF)(status.product).steps;
  const phoneTexts = useTexts(PHONE_TEXTS);
  const facts = useRef<HTMLParagraphElement>(null);
  const { tank, owner, volume } = status;
  const left = volumeLeft(status);
  const factsText = texts.facts(
    addressOf(status),
    format.volume(tank.capacity, tank.capacity_unit),
    left === null ? '' : format.volume(left, volume.unit),
  );
  return (
    <Panel id="steps" title={texts.title}>
      <ol className="steps">
        <li>
          <b>{texts.call}</b>
          <p>{texts.say}</p>
          {owner.phone === null ? (
            <p className="meta">{texts.noPhone}</p>
          ) : (
            <>
              <p className="step-buttons">
                <a className="button danger" href={telOf(owner.phone)}>
                  <Icon name="phone" />
                  {texts.callNumber(owner.phone)}
                </a>
                {owner.phones
                  .filter(({ text_for_loss: isTexted }) => isTexted)
                  .map(({ number }) => (
                    <a key={number} className="button" href={`sms:${number.replaceAll(' ', '')}`}>
                      {phoneTexts.textNumber(number)}
                    </a>
                  ))}
              </p>
              {owner.phones.length > 1 && (
                <p className="facts">
                  <Phones phones={owner.phones} />
                </p>
              )}
            </>
          )}
        </li>
        {texts.emergency !== null && (
          <li>
            <b>{texts.emergency(emergencyNumber)}</b>
            <p ref={facts}>{factsText}</p>
            <p className="step-buttons">
              <a className="button danger-line" href={`tel:${emergencyNumber}`}>
                <Icon name="phone" />
                {texts.callNumber(emergencyNumber)}
              </a>
              <CopyButton
                text={factsText}
                shown={{ copy: texts.copy, copied: texts.copied }}
                source={() => facts.current}
              />
            </p>
          </li>
        )}
        <li>
          <b>{texts.technician}</b>
          {texts.technicianHelp !== '' && <p>{texts.technicianHelp}</p>}
        </li>
        <li>
          <b>{texts.noDelivery}</b>
        </li>
      </ol>
    </Panel>
  );
}
