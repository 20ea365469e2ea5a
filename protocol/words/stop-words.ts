/**
 * Words that questions and sentences are made with and that tell nothing of what they are about, in the languages that journals
 * are mostly written in. The commonest alone: a word too many would be missed by whoever looks for it. Pure.
 */

const byLanguage = {
  en:
    "a about after all am an and any anything are as at be been before but by can could did do does for from had has have " +
    "he her him his how i if in into is it its just long many me much my no not of on or our out she should so some tell than that the " +
    "their them then there they this to up us was we were what when where which who whom why will with would you your",
  de:
    "aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damals dann das dass dein dem den der des " +
    "dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch " +
    "für gab gemacht getan geschah geschehen gewesen habe haben hast hat hatte hatten hier hin ich ihm ihn ihr ihre im in ist ja jede jeder kann kein keine " +
    "kommt los machen macht man mein mich mir mit nach nicht noch nun nur ob oder ohne passiert passierte sein seine seit sich sie sind so um und uns unser unter " +
    "vom von vor wann war waren warum was weil welche welcher welches wem wen wenn wer werden wie wieder wir wird wo wurde wurden zu zum zur zwischen über " +
    "gestern heute morgen tag tage tagen woche jahr januar februar märz april mai juni juli august september oktober november dezember " +
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
  fr:
    "à ai alors as au aucun aussi autre aux avait avant avec avez avoir avons bien car ce cela ces cet cette chez comme comment dans de depuis des donc dont du elle elles " +
    "en entre est et était étaient été être eu fait faire ici il ils je jour journée jours la le les leur leurs lors lui là ma mais me mes moi mon ne ni nos notre nous on ont ou où " +
    "par pas passe passé passée pendant peu plus pour pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se ses si son sont sur ta te tes toi ton tous tout toute toutes très tu " +
    "un une vers vos votre vous y arrivé hier aujourd'hui aujourd hui demain semaine mois année " +
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche",
  es:
    "a al algo algunas algunos ante antes aquel aquella así aunque cada como con cuando cuál cuáles cuándo cuánto cómo de del desde día días donde dónde durante e el ella ellas ellos en entre era eran " +
    "es esa ese eso esta estaba estado estar este esto está están fue fueron ha había han hasta hay he hice hicimos hizo la las le les lo los me mi mis mucho muy más nada ni no nos nosotros nuestra nuestro o " +
    "ocurrió otra otro para pasado pasó pero por porque qué que quien quién se sea ser si sin sino sobre son soy su sus sucedió sí también te tenía tiene todo todos tu tus tú u un una unas uno unos usted y ya yo " +
    "ayer hoy mañana semana mes año enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles jueves viernes sábado domingo",
  it:
    "a abbiamo accaduto ai al alla alle allo anche avere aveva c che chi ci come con cosa cui da dal dalla dei del della delle dello di dove dopo e ed era erano fatto fra giorno gli ha hai hanno ho i il in io " +
    "la le lei lo loro lui ma me mi mia mio molto ne nei nel nella no noi non nostra nostro o per perché più poi prima quale quali quando quanto quella quello questa questo qui se sei si sia sono sta stata stato su successo sul sulla suo " +
    "ti tra tu tutti tutto un una uno vi voi è ieri oggi domani gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
  pt:
    "a ao aos aconteceu até com como da das de dela dele depois dia do dos e ela ele eles em entre era essa esse esta estava este está eu foi foram fez houve isso isto já lhe mais mas me meu minha muito na nas nem no nos não nós o " +
    "onde os ou para pela pelo por porque qual quais quando que quem se sem ser seu sobre sua são também te tem tinha tu um uma você à é ontem hoje amanhã janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
  nl:
    "aan al als bij dag dan dat de den der deze die dit doen door dus een en er gebeurde gebeurd ge geen had heb hebben heeft hem het hier hij hoe hun ik in is je kan kon maar me meer men met mij mijn na naar niet nog nu of om omdat ons onze ook op over " +
    "te tegen toen tot u uit uw van veel voor waar waarom wanneer waren was wat we wel welke werd wie wij worden wordt ze zich zij zijn zo zonder gisteren vandaag morgen januari februari maart mei juni juli augustus oktober",
  ja: "あっ ある あり あれ い いう いつ いる う お か が から き け けど こ この これ さ さん し した して す する せ そ その それ た だ だれ だっ て で です では と という とき どう どこ な なか なぜ なに なり なる に の は ば へ ほど ま まし ます まで み も もの や よ より ら ん 何 何が 誰 日 年 月 時 事 こと ください した 起き 教え 今日 昨日",
  zh: "的 了 和 是 在 我 我们 你 你们 他 她 它 他们 有 没有 不 也 都 就 与 及 或 这 那 这个 那个 什么 发生 了什么 谁 哪里 哪 怎么 怎样 为什么 吗 呢 吧 啊 过 着 把 被 对 从 到 上 下 一个 日 月 年 号 天 那天 做 事 事情 今天 昨天 發生 什麼 沒有 這 個 我們",
  ko: "은 는 이 가 을 를 의 에 에서 와 과 도 로 으로 무엇 무슨 무슨일이 일이 있었나요 있었어 있었습니까 언제 어디 누가 왜 어떻게 그 이것 그것 오늘 어제 년 월 일",
} as const;

export const stopWords: ReadonlySet<string> = new Set(Object.values(byLanguage).flatMap((words) => words.split(" ")));

const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** The words of a run of letters: itself, or, in a script that writes no spaces, the words that a reader sees in it. */
export function wordsWithin(run: string): string[] {
  return spaceless.test(run) ? segmentsOf(run) : [run];
}

/** The words that a reader of its language sees in a run of letters. */
export function segmentsOf(run: string): string[] {
  const words = [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(run)];
  return words.flatMap(({ segment, isWordLike }) => (isWordLike === true ? [segment] : []));
}
