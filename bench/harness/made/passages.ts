/**
 * Passages and questions in seven languages, from a seed. Their words are common ones, and compounds of two, each so much
 * rarer than the one before it as in any text.
 */

const languages = {
  en: {
    between: " ",
    length: 90,
    words:
      "water house garden winter morning paper market doctor school letter window kitchen river mountain bridge engine signal number " +
      "picture station village harbour forest island summer evening record report meeting project budget contract customer product " +
      "machine heater greenhouse walrus otter badger train travel language history science music theatre newspaper weather insurance",
  },
  de: {
    between: " ",
    length: 75,
    words:
      "wasser haus garten winter morgen papier markt arzt schule brief fenster küche fluss berg brücke motor signal nummer bild bahnhof " +
      "dorf hafen wald insel sommer abend bericht sitzung projekt haushalt vertrag kunde produkt maschine heizung zug reise sprache " +
      "geschichte musik theater zeitung wetter versicherung kranken leben arbeit stadt straße schlüssel verkehr",
  },
  zh: {
    between: "",
    length: 150,
    words:
      "北京 上海 天气 昨天 今天 会议 公司 项目 报告 预算 合同 客户 产品 机器 学校 医生 医院 市场 花园 温室 冬天 夏天 早上 晚上 车站 火车 旅行 语言 历史 科学 音乐 " +
      "新闻 保险 工作 城市 街道 交通 问题 情况 时间 朋友 家庭 电话 电脑 手机 网络 数据 系统 技术 研究 大学 学生 老师 中国 世界 经济 政府 文化 环境 水 山 书 茶",
  },
  ja: {
    between: "",
    length: 120,
    words:
      "東京 京都 天気 会議 会社 計画 報告 予算 契約 製品 機械 学校 医者 病院 市場 庭 温室 冬 夏 朝 駅 電車 旅行 言語 歴史 科学 音楽 新聞 保険 仕事 都市 道路 交通 問題 " +
      "時間 友達 家族 電話 タワー コンピュータ ネットワーク データ システム テーブル ホテル レストラン は が を に で と の から まで です ます した",
  },
  ko: {
    between: " ",
    length: 80,
    words:
      "서울 부산 날씨 회의 회사 계획 보고 예산 계약 고객 제품 기계 학교 의사 병원 시장 정원 온실 겨울 여름 아침 저녁 기차 여행 언어 역사 과학 음악 신문 보험 도시 도로 " +
      "교통 문제 시간 친구 가족 전화 컴퓨터 자료 기술 연구 대학 학생 선생님 세계 경제 정부 문화 환경",
  },
  th: {
    between: "",
    length: 90,
    words:
      "กรุงเทพ ประชุม อากาศ วันนี้ เมื่อวาน บ้าน โรงเรียน ตลาด รถไฟ สถานี อาหาร น้ำ ปลา ข้าว ผลไม้ เพื่อน ครอบครัว งาน บริษัท ราคา เงิน เวลา หนังสือ ภาษา เดินทาง " +
      "ทะเล ภูเขา ฝน รายงาน โครงการ ประเทศ รัฐบาล สุขภาพ โรงพยาบาล หมอ ยา ประกัน งบประมาณ สัญญา ลูกค้า",
  },
  ru: {
    between: " ",
    length: 70,
    words:
      "вода дом сад зима утро бумага рынок врач школа письмо окно кухня река гора мост сигнал номер вокзал деревня лес остров лето вечер " +
      "отчёт встреча проект бюджет договор клиент продукт машина поезд язык история наука музыка театр газета погода страхование",
  },
} as const;

type Language = keyof typeof languages;

/** As often as they are written here: most of a journal is in one language, and none is all of it. */
const mix: readonly Language[] = ["en", "en", "en", "en", "de", "de", "zh", "zh", "ja", "ko", "th", "ru"];

/** Words of a language, compounds among them. */
const vocabulary = 6_000;

/** Scripts in which a word stands among others without blanks, or is written together with them. */
const innerScripts = /[\p{scx=Han}\p{scx=Hangul}\p{scx=Thai}]/u;

/** Whether the words of a text stand within others. */
export const hasInnerWords = (text: string): boolean => innerScripts.test(text);

export class Passages {
  readonly #random: () => number;
  readonly #words = new Map<Language, string[]>();

  constructor(seed: number) {
    this.#random = randomFrom(seed);
    for (const language of Object.keys(languages) as Language[])
      this.#words.set(language, this.#vocabularyOf(language));
  }

  passage(index: number): string {
    const language = mix[index % mix.length] ?? "en";
    const { between, length } = languages[language];
    return Array.from({ length }, () => this.#word(language)).join(between);
  }

  /** One or two words of a language, of which the commonest aren't asked for. */
  question(index: number): string {
    const language = mix[index % mix.length] ?? "en";
    return Array.from({ length: 1 + (index % 2) }, () => this.#word(language, 20)).join(" ");
  }

  /** A word of a language, which other words may hold; or null where blanks tell words apart. */
  innerWord(index: number): string | null {
    const language = mix[index % mix.length] ?? "en";
    const { words } = languages[language];
    return hasInnerWords(words) ? (words.split(" ")[Math.floor(this.#random() * 30)] ?? null) : null;
  }

  #vocabularyOf(language: Language): string[] {
    const simple = languages[language].words.split(" ");
    const one = () => simple[Math.floor(this.#random() * simple.length)] ?? "";
    return [...simple, ...Array.from({ length: vocabulary - simple.length }, () => one() + one())];
  }

  #word(language: Language, from = 0): string {
    const words = this.#words.get(language) ?? [];
    const rank = Math.floor(Math.exp(this.#random() * Math.log(words.length - from))) - 1;
    return words[from + rank] ?? "";
  }
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
