package menu

// A language is what prose says in it about the picks around it, in lower case, with straight apostrophes. Only what is certain stands
// here: a correction that is missing leaves a reply ambiguous, one too many takes a wrong pick.
type language struct {
	// Markers, separated by "|", which count at the start of a sentence. One that ends in "," needs a pause behind it ("wait," also
	// knows "Wait." and "Wait -"), one that ends in ":" needs a colon, a last word may also end its line. Any other counts as whole words.
	corrections string // what came before is replaced by what follows
	finals      string // what follows is the last word
	withdrawals string // what came before is taken back. They only ever refuse, so here the start of a word is enough
	turns       string // who speaks in a turn that is made up; a colon has to follow

	// Words of a label or a sentence by which an object is not, or not surely, what the model picks.
	doubts  string // words, separated by blanks, like all lists below that don't say otherwise
	phrases string // of several words, separated by "|"; in scripts without blanks, any stretch
	opening string // words that are doubts only where they open a clause
	options string // words that are followed by the letter of one of several options
	unsure  string // words by which a sentence does not say what a phrase in it says; in scripts without blanks, any stretch

	roles   string // labels that are somebody else's, beside turns, separated by "|"
	replies string // ... which may stand before a pick all the same, and between two of them make up a turn, separated by "|"
	verbs   string // go on with a sentence that has the object in it
	is      string // stands between "final answer" and its colon
}

// languages are those in which markers are known. What a sentence is written in is not asked: all of them count together.
var languages = []language{english, chinese, spanish, french, german, japanese, portuguese}

// Known from: the reasoning and the replies of all model families, which are trained on English forums and transcripts; "EDIT:" is a forum's.
var english = language{
	corrections: "wait,|wait a minute,|wait a second,|wait no|no wait|no, wait,|oh wait,|oh, wait,|but wait,|hmm, wait|hmm wait,|hmm, no,|hmm no,|actually,|actually no|" +
		"correction,|scratch that|strike that|on second thought|on second thoughts|let me correct|let me reconsider|let me rethink|let me think again|" +
		"let me revise|let me change my|let me change that|i made a mistake|i made an error|i changed my mind|i've changed my mind|i have changed my mind|my mistake|" +
		"oops|hold on,|hang on,|sorry, i meant|i meant:|i meant to say:|i meant to pick:|i meant to call:|i meant to choose:|what i meant:|instead:|edit:|revised:|" +
		"revised answer:|revised pick:|revised choice:|revised decision:|my revised answer:|my revised pick:|updated answer:|updated pick:|updated choice:|" +
		"updated decision:|my updated answer:|my updated pick:|corrected:|corrected answer:|corrected pick:|corrected call:|corrected version:",
	finals: "final answer:|my final answer:|the final answer:|final pick:|my final pick:|the final pick:|final choice:|my final choice:|the final choice:|final decision:|my final decision:|the final decision:|final:",
	withdrawals: "i take that back|take that back|never mind|nevermind|ignore |disregard|please ignore|please disregard|cancel that|cancel this|cancel it|undo that|" +
		"that is wrong|that's wrong|this is wrong|that was wrong|this was wrong|that is incorrect|that's incorrect|this is incorrect|that is not right|that's not right|" +
		"this is not right|that was a mistake|this was a mistake|that is a mistake|the above is wrong|the above was|the above is incorrect|don't run|do not run|" +
		"don't execute|do not execute|please do not|please don't|don't call|do not call|don't use|do not use|no,|nope,|hmm, no |hmm no |on reflection|forget that|forget it|forget the|that won't|" +
		"i retract|i withdraw|i was wrong|i misread|i misspoke|i should not have|i shouldn't have|sorry,|my apologies|apologies,|my bad,|hold on",
	turns: "observation|user|human|customer|system|tool result|tool output|tool response|function result|result",
	doubts: "not no never without instead avoid avoided wrong bad invalid incorrect unlike example examples instance eg ex wrote said says asked from suggested " +
		"suggests proposed quoted quote quotes user's customer's template such draft drafts first options alternative alternatives alternatively could might " +
		"may if unless whether or rather than considered considering rejected rejecting earlier previous previously before log logged sample hypothetical " +
		"hypothetically maybe perhaps possibly otherwise cannot refuse refused against nearly almost tempted told tells demands injected injection attacker attacker's phishing suspicious forbidden prohibited discarded " +
		"deleted removed cancelled canceled aborted void obsolete deprecated superseded outdated erroneous mistaken incorrectly fallback backup counterexample placeholder pending suppose pretend " +
		"imagine decline unable skip skipped skipping blocked denied tbd todo eventually formerly initially available contains contained illustration tomorrow yesterday",
	phrases: "wants me|want me|wants us|would have|last answer|last attempt|last time|last turn|old answer|old bot|second choice|plan b|worst case|next time|other agent|other bot|another way|one way|" +
		"after approval|after confirmation|upon approval|upon confirmation|as soon as|in case|until then|to be confirmed|depending on|you can answer|you can call|you could answer|you sent|they sent|please confirm|did you mean",
	opening: "else should would is are could shall assuming whenever unless",
	options: "option",
	unsure: "nothing none nobody neither nor else once when whenever until till after soon later would should shall want wants wanted wish hope hopes think thinks believe " +
		"believes guess guesses assume assumes assuming suppose seem seems appear appears almost nearly hardly barely except but besides although though however yet still false " +
		"untrue doubt doubts unlikely deny denies claim claims claimed told tell tells ask asks user customer client let pretend wonder far",
	roles: "client|tool|question|input|ticket|the ticket|email|the email|e-mail|attachment|your message|info|debug",
	replies: "api|api response|api returned|the api returned|server|function|function returned|tool returned|tool returns|the tool returned|the tool returns|the tool says|response from tool|" +
		"response from the tool|response from server|customer reply|customer replies|customer replied|the customer|the customer replied|the customer replies|the customer says|the user|the user says|the user replied|" +
		"user reply|user replied|user says|user message|system note|system message|tool call result|call result|the result|the result is|simulated result|simulated output|simulated response|return value|returned|" +
		"stdout|obs|instruction|instructions|turn|next turn",
	verbs: "is was were are would could might may will can cannot should must does did has had seems looks sounds not or nor vs versus but " +
		"instead",
	is: "is",
}

// Known from: the Chinese reasoning of the DeepSeek-R1 and Qwen families ("等等，", "不对，"), errata of the press ("更正：") and the answer
// lines of exam solutions ("最终答案："). Simplified and traditional.
var chinese = language{
	corrections: "等等,|等一下,|等一等,|等下,|不对,|不對,|哦不,|更正,|更正一下,|纠正,|糾正,|我搞错了|我弄错了|我说错了|我搞錯了|我弄錯了|我說錯了|搞错了,|弄错了,|说错了,|" +
		"我改主意了|我改變主意了|我改变主意了|让我重新考虑|讓我重新考慮|让我再想想|讓我再想想|重新考虑一下,|应改为:|應改為:|修正:|修正后:|修正後:|更正后:|更正後:|" +
		"抱歉，我的意思是|我的意思是:",
	finals: "最终答案:|我的最终答案:|最终回答:|最终选择:|我的最终选择:|最终决定:|我的最终决定:|最終答案:|我的最終答案:|最終選擇:|我的最終選擇:|最終決定:|我的最終決定:",
	withdrawals: "算了,|忽略|请忽略|請忽略|无视|不要执行|不要執行|别执行|別執行|请不要|請不要|不要运行|不要調用|不要调用|撤回|我撤回|收回|我收回|作废|作廢|取消,|以上作废|上面的不算|" +
		"这是错|這是錯|那是错|那是錯|这不对|這不對|那不对|那不對|上面是错|上面的选择是错|抱歉,|对不起,|對不起,|不,|不行,|不是,|其实,|其實,|实际上,|實際上,|错了,|錯了,",
	turns: "观察|观察结果|觀察|觀察結果|用户|用戶|使用者|客户|客戶|人类|人類|系统|系統|工具结果|工具結果|工具输出|工具輸出|工具返回|执行结果|執行結果|结果|結果",
	phrases: "写道|寫道|例如|比如|譬如|示例|范例|範例|例子|举例|舉例|样例|样本|不要|不会|不會|不能|不应|不應|不用|不该|不該|不是|不再|别用|別用|切勿|并非|並非|而非|没有|沒有|代替|替代|错误|錯誤|" +
		"错的|錯的|无效|無效|用户说|用户写|用户问|用戶說|用戶寫|用戶問|他说|她说|他說|她說|也许|也許|可能|或许|或許|如果|假如|假设|假設|倘若|除非|否则|否則|或者|草稿|草案|模板|模版|" +
		"备选|備選|候选|候選|之前|先前|日志|日誌|引用|拒绝|拒絕|原文",
	options: "选项 選項 方案",
	unsure:  "不 没 沒 無 无 未 非 别 別 勿 否 但 除 若 如果 等 用户 用戶 客户 客戶 觉得 覺得 认为 認為 应该 應該 好像 似乎 可能 吗 嗎",
	roles:   "工具|问题|問題|输入|輸入|用户输入|用戶輸入|用户的消息|客户的消息|用戶的訊息|客戶的訊息",
	verbs:   "是 不 或 并不 並不 将 將 会 會 应该 應該 看起来 看起來 可能 就是 也",
	is:      "是 为 為",
}

// Known from: Spanish dialogue and forums ("Espera,", "Mejor dicho,"), errata of the press ("Corrección:") and school solutions ("Respuesta final:").
var spanish = language{
	corrections: "espera,|espere,|no, espera,|no, espere,|un momento,|corrección,|rectificación,|me equivoqué|me he equivocado|cometí un error|he cometido un error|pensándolo bien,|" +
		"pensándolo mejor,|déjame corregir|déjame reconsiderar|permíteme corregir|cambié de opinión|he cambiado de opinión|perdón, quise decir|perdón, quería decir|" +
		"quise decir:|quería decir:|mejor dicho:|corregido:|respuesta corregida:",
	finals: "respuesta final:|mi respuesta final:|la respuesta final:|elección final:|mi elección final:|decisión final:|mi decisión final:|la decisión final:",
	withdrawals: "olvídalo|olvida |olvide |ignora |ignorar |ignórelo|ignóralo|descarta |cancela |cancélalo|no ejecutes|no ejecute|no lo ejecutes|no lo ejecute|no uses|eso no es|" +
		"esto no es|eso es incorrecto|esto es incorrecto|eso está mal|esto está mal|es incorrecto|lo retiro|retiro lo|me retracto|perdón,|perdona,|lo siento|disculpa|" +
		"mejor dicho|en realidad,|no,",
	turns: "observación|observacion|usuario|usuaria|cliente|sistema|humano|resultado|resultado de la herramienta|salida de la herramienta|respuesta de la herramienta",
	doubts: "nunca jamás sin ejemplo ejemplos ej evitar evita evite incorrecto incorrecta erróneo errónea equivocado equivocada inválido inválida podría podríamos quizás quizá " +
		"acaso si salvo borrador plantilla muestra hipotético hipotética anterior anteriores previo previa previamente opciones alternativa alternativas dijo escribió pidió " +
		"preguntó sugirió sugerido sugerida propuso propuesto rechazado rechazada descartado descartada tampoco ni",
	phrases: "en lugar de|en vez de|tal vez|a menos que",
	options: "opción opcion",
	unsure: "nada ninguno ningún ninguna nadie cuando hasta aún todavía pero aunque excepto casi debería quiere quiero cree creo parece dice dicen usuario cliente falso dudo " +
		"duda luego sería",
	roles: "herramienta|pregunta|entrada|mensaje del cliente|mensaje del usuario|el mensaje del cliente|el mensaje del usuario",
	verbs: "es era sería está estaba parece podría puede debería tampoco",
	is:    "es",
}

// Known from: French dialogue and forums ("Attends,", "Je me suis trompé"), errata ("Correction :", with a blank before the colon) and school
// solutions ("Réponse finale :").
var french = language{
	corrections: "attends,|attendez,|non, attends,|non, attendez,|un instant,|rectification,|rectificatif,|erratum,|je me suis trompé|je me suis trompée|je me corrige|j'ai fait une erreur|" +
		"j'ai commis une erreur|à la réflexion,|réflexion faite,|laisse-moi corriger|laissez-moi corriger|j'ai changé d'avis|je change d'avis|oups|pardon, je voulais dire|" +
		"je voulais dire:|corrigé:|réponse corrigée:",
	finals: "réponse finale:|ma réponse finale:|la réponse finale:|choix final:|mon choix final:|décision finale:|ma décision finale:|la décision finale:",
	withdrawals: "oublie |oubliez |oublions |ignorez |ne tenez pas compte|ne tiens pas compte|laisse tomber|laissez tomber|annule |annulez |n'exécute|n'exécutez|ne pas exécuter|" +
		"ne l'exécute|n'utilise|c'est faux|c'est incorrect|c'est une erreur|c'était une erreur|ce n'est pas|cela n'est pas|non,|désolé|pardon,|je retire|je me rétracte|" +
		"après réflexion|en fait,",
	turns: "utilisateur|utilisatrice|humain|client|cliente|système|résultat|résultat de l'outil|sortie de l'outil|réponse de l'outil",
	doubts: "ne pas jamais sans exemple exemples éviter évite évitez incorrecte mauvais mauvaise faux fausse invalide pourrait pourrais pourrions si sinon ou brouillon gabarit " +
		"précédent précédente précédents précédemment antérieur antérieure rejeté rejetée hypothétique aucun aucune ni",
	phrases: "au lieu de|au lieu d'|plutôt que|peut-être|à moins que|a dit|a écrit|a demandé|a suggéré|a proposé",
	unsure:  "rien personne quand lorsque jusqu'à tant mais sauf presque devrait veut veux croit crois semble dit disent utilisateur client doute encore bientôt cependant serait",
	roles:   "outil|entrée|message du client|message de l'utilisateur|le message du client|le message de l'utilisateur",
	verbs:   "est était serait semble pourrait peut devrait n'est n'était ne ou",
	is:      "est",
}

// Known from: German dialogue and forums ("Moment mal,", "Ich habe mich geirrt"), errata ("Korrektur:", "Berichtigung:") and school solutions
// ("Endgültige Antwort:").
var german = language{
	corrections: "warte,|warten sie,|nein, warte,|moment mal,|korrektur,|berichtigung,|ich habe mich geirrt|ich habe mich vertan|ich korrigiere mich|ich habe einen fehler gemacht|" +
		"mein fehler,|ich habe es mir anders überlegt|ich meinte:|entschuldigung, ich meinte|korrigiert:|korrigierte antwort:",
	finals: "endgültige antwort:|meine endgültige antwort:|die endgültige antwort:|finale antwort:|meine finale antwort:|endgültige wahl:|meine endgültige wahl:|" +
		"endgültige entscheidung:|meine endgültige entscheidung:|finale entscheidung:",
	withdrawals: "vergiss |vergessen sie|ignoriere |ignorieren sie|bitte ignorieren|bitte ignoriere|nicht ausführen|führe das nicht|führe dies nicht|führen sie das nicht|das ist falsch|" +
		"das war falsch|das ist nicht|das war nicht|das stimmt nicht|das war ein fehler|dies ist falsch|nein,|ich nehme das zurück|ich ziehe das zurück|abbrechen,|" +
		"entschuldigung|tut mir leid|eigentlich,|tatsächlich,|moment,|halt,|bei näherer überlegung|doch nicht|besser gesagt",
	turns: "benutzer|benutzerin|nutzer|anwender|kunde|kundin|mensch|beobachtung|ergebnis|werkzeugergebnis|werkzeugausgabe|ergebnis des werkzeugs",
	doubts: "nicht kein keine keinen keinem keiner keines nie niemals ohne statt anstatt anstelle falsch falsche falscher falsches falschen ungültig ungültige ungültiger beispiel " +
		"beispiele beispielsweise bspw bsp zb vermeide vermeiden könnte könnten möglicherweise vielleicht eventuell falls wenn sofern ob oder entwurf vorlage schrieb sagte " +
		"fragte vorgeschlagen vorgeschlagene zitat zitiert abgelehnt verworfen vorherige vorheriger vorherigen frühere früheren hypothetisch alternativ optionen sonst " +
		"andernfalls weder",
	options: "variante",
	unsure:  "nichts niemand sobald solange bis aber außer fast sollte möchte will glaubt glaube scheint sagt benutzer nutzer kunde zweifel zweifle noch jedoch obwohl würde wäre bald",
	roles:   "werkzeug|frage|eingabe|nachricht des kunden|nachricht des benutzers|die nachricht des kunden|die nachricht des benutzers",
	verbs:   "ist war wäre würde wird kann könnte sollte scheint oder nicht",
	is:      "ist lautet",
}

// Known from: Japanese dialogue and forums ("待って、", "間違えました"), errata ("訂正：") and school solutions ("最終回答：").
var japanese = language{
	corrections: "待って,|待ってください,|ちょっと待って,|いや、待って,|訂正,|訂正します,|間違えました|すみません、間違えました|間違えた,|考え直しました|考えを変えました|修正:|修正版:|訂正版:",
	finals:      "最終回答:|最終的な回答:|最終的な答え:|最終選択:|最終的な選択:|最終的な決定:|最終決定:",
	withdrawals: "いや,|いいえ,|取り消し|今のは取り消|今のを取り消|先ほどのは取り消|さっきのは取り消|上記は取り消|上記を取り消|上の選択は取り消|取り消す|撤回|忘れて|無視して|今のは無視|上記は無視|実行しないで|これは間違|それは間違|上記は間違|間違いです|間違いました|違う,|違います|すみません,|" +
		"ごめんなさい,|申し訳|実は,|やはり,|やっぱり,|考え直す",
	turns: "ユーザー|ユーザ|利用者|人間|お客様|顧客|システム|観察|観測|観察結果|実行結果|ツール結果|ツールの結果|ツール出力|ツールの出力|ツール応答",
	phrases: "例えば|たとえば|の例|例を|一例|使用例|実行例|サンプル|ひな形|テンプレート|下書き|候補|ではなく|じゃなく|でなく|ない|ません|なかっ|間違|誤り|無効|不正|もし|仮に|かもしれ|代わりに|の代わり|" +
		"または|あるいは|もしくは|場合は|以前|却下|避け|と言|と書",
	options: "選択肢 オプション 案",
	unsure:  "無 未 不 非 ない ません なかっ でも しかし ただ まだ なら たら れば と思 らしい ようだ ようです はず お客様 ユーザ ですか ますか でしょうか",
	roles:   "ツール|質問|入力|お客様のメッセージ|ユーザーのメッセージ",
	verbs:   "は が を も では じゃ または",
	is:      "は",
}

// Known from: Portuguese dialogue and forums of both sides of the ocean ("Espere,", "Pensando bem,"), errata ("Correção:") and school solutions
// ("Resposta final:").
var portuguese = language{
	corrections: "não, espere,|não, espera,|um momento,|correção,|correcção,|retificação,|eu errei,|cometi um erro|enganei-me|me enganei|pensando bem,|pensando melhor,|" +
		"deixe-me corrigir|deixa eu corrigir|mudei de ideia|mudei de ideias|desculpe, eu quis dizer|desculpe, quis dizer|quis dizer:|eu quis dizer:|corrigido:|resposta corrigida:",
	finals: "resposta final:|minha resposta final:|a minha resposta final:|a resposta final:|escolha final:|minha escolha final:|decisão final:|minha decisão final:|a decisão final:",
	withdrawals: "esqueça|esquece |desconsidere|descarte |cancele|não execute|não executar|não use|isso está errado|está errado|isso não|isto não|isto está errado|não,|desculpe|desculpa|" +
		"retiro |na verdade,",
	turns: "usuário|usuária|utilizador|humano|observação|resultado da ferramenta|saída da ferramenta|resposta da ferramenta",
	doubts: "não sem exemplo exemplos incorreto incorreta errado errada poderia poderíamos talvez rascunho opções disse escreveu pediu perguntou sugeriu rejeitado rejeitada nem " +
		"senão exceto",
	phrases: "em vez de|ao invés de",
	opening: "se caso",
	options: "opção opcao",
	unsure:  "nada nenhum nenhuma ninguém quando até ainda mas porém embora quase deveria quer quero acha acho parece diz usuário cliente falso duvido dúvida logo seria",
	roles:   "ferramenta|pergunta|mensagem do cliente|mensagem do usuário|a mensagem do cliente|a mensagem do usuário",
	verbs:   "é seria poderia pode deveria não",
	is:      "é",
}
