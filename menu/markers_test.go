package menu

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// markerCases are texts around two picks that differ, by language. Each stands on a line of its own.
var markerCases = map[string]struct {
	correct  []string // between the picks: the last one wins. Behind a pick: it is taken back, unless the text is a last word
	last     []string // a last word before a pick
	withdraw []string // behind a pick: it is taken back. Between two: nobody knows
	doubt    []string // before a pick: it is not meant
	other    []string // before a pick: somebody else's
	near     []string // between the picks: says nothing, so there are two
	good     []string // before a pick: it is meant
	verb     []string // behind a pick on its line: it is only talked about
}{
	"English": {
		correct: []string{"Wait, that is wrong.", "Wait - no.", "**Wait**, no.", "But wait, it is paid.", "Hmm, no.", "Hmm, no: it is paid.", "Let me reconsider.", "Let me think again:",
			"Instead:", "Revised:", "**Revised answer:**", "Updated pick:", "EDIT:", "Sorry, I meant:", "Sorry, I meant this one:", "I meant:", "I meant to pick:", "I’ve changed my mind.",
			"Strike that.", "Hold on, it is paid.", "On second thoughts, close it.", "I see. Actually, no:", "(Wait, it is paid.)", "They said \"it is late\". Wait, it is paid.", "It is 5\" wide.\n\nWait, it is paid.", "Correction :"},
		last:     []string{"Final answer:", "My final pick is:", "**Final decision**:", "The final choice:", "FINAL ANSWER"},
		withdraw: []string{"No.", "Sorry, that was too fast.", "Don't run it.", "Ignore this.", "That was a mistake.", "My apologies, it is paid.", "I was wrong.", "\"Wait, no\""},
		doubt:    []string{"Not:", "For example:", "E.g.:", "e.g:", "Instead of:", "Possibly:", "If it is paid:", "Option B:", "It could be:", "This isn't it:", "Draft:"},
		other:    []string{"User:", "**Observation:**", "Tool result:", "Result :", "Question:"},
		near: []string{"Waiting is no option.", "Hold only if needed.", "Actually nothing is wrong.", "Hmm, nothing else.", "Instead of that, this one fits:", "Revised texts are below.",
			"Editing is done.", "I meant well.", "Then:", "The final answer may differ.", "\"Final answer:\" is what was asked for.", "\"Wait, no\", said the customer.", "I can wait, no problem:", "Finally:", "Edit", "## Instead",
			"They wrote \"I looked. Wait, no.\"", "They wrote:\n\"I looked.\nFinal answer:\n\"", "“I looked. Correction: no.”", "„Ja. Korrektur: nein.“", "「はい。訂正：いいえ」"},
		good: []string{"My pick:", "I would call:", "Here it is:", "Wait, no:", "Not the refund, but this:"},
		verb: []string{"is wrong", "isn’t it", "or nothing", "instead"},
	},
	"Chinese": {
		correct: []string{"等等，已经付款了。", "等等，", "不对，应该关闭。", "看过了。不对，应该关闭。", "看过了！等一下，已经付款了。", "更正：", "更正：关闭工单", "我搞错了。", "让我重新考虑一下。", "抱歉，我的意思是：",
			"**更正**：", "應改為：", "不對，應該關閉。", "修正："},
		last:     []string{"最终答案：", "最终答案:", "**最终答案：**", "我的最终选择是：", "最终决定", "最終答案："},
		withdraw: []string{"算了。", "请忽略。", "不要执行。", "这是错的。", "我撤回。", "抱歉，太快了。", "其实，已经付款了。", "不，"},
		doubt:    []string{"例如：", "比如:", "不要使用：", "示例：", "而不是：", "也许：", "如果已经付款：", "选项A：", "选项 1：", "方案二：", "草稿：", "錯誤："},
		other:    []string{"用户：", "系统：", "观察：", "工具结果：", "結果：", "用戶："},
		near:     []string{"等等的情况。", "不对称。", "关闭、退款等等，", "更正了一次。", "最终答案可能不同。", "“更正：”", "「等等，」", "好的。", "然后："},
		good:     []string{"我的选择：", "我选择：", "不是退款，而是：", "调用如下："},
		verb:     []string{"是错误的", "不对", "或者别的", "，不合适", "不是"},
	},
	"Spanish": {
		correct: []string{"Espera, ya está pagado.", "¡Espera! Ya está pagado.", "No, espera.", "Corrección:", "Corrección: cerrar", "Me equivoqué.", "Pensándolo bien, mejor cerrar.", "Quise decir:",
			"Perdón, quise decir:", "He cambiado de opinión.", "Ya lo miré. Espera, está pagado.", "**Corrección:**"},
		last:     []string{"Respuesta final:", "Mi respuesta final es:", "**Decisión final:**", "ELECCIÓN FINAL:"},
		withdraw: []string{"Olvídalo.", "Olvida lo anterior.", "No ejecutes eso.", "Eso no es correcto.", "En realidad, ya está pagado.", "Perdón, fue demasiado rápido.", "Retiro lo dicho."},
		doubt:    []string{"Ejemplo:", "Por ejemplo:", "p. ej.:", "No uses:", "En lugar de:", "Nunca:", "Tal vez:", "Si está pagado:", "Opción A:", "El usuario escribió:", "Incorrecto:"},
		other:    []string{"Usuario:", "Observación:", "Sistema:", "Cliente:", "Resultado de la herramienta:"},
		near:     []string{"Esperaba más.", "Espera a que responda.", "Espero una respuesta.", "La corrección es sencilla.", "Respuesta final pendiente.", "Después:", "«Espera,» dijo."},
		good:     []string{"Mi elección:", "Elijo:", "Sí:", "La opción elegida:", "No el reembolso, sino esto:"},
		verb:     []string{"es incorrecto", "no es", "no sería correcto", "está mal"},
	},
	"French": {
		correct: []string{"Attends, c'est payé.", "Attendez, c’est payé.", "Correction :", "Correction : fermer", "Correction\u00a0:", "Je me suis trompé.", "J’ai fait une erreur.", "À la réflexion, il faut fermer.",
			"Je voulais dire :", "Erratum :", "Bon. Attends, c'est payé.", "**Correction** :"},
		last:     []string{"Réponse finale :", "Ma réponse finale est :", "Réponse finale\u202f:", "**Décision finale :**", "RÉPONSE FINALE"},
		withdraw: []string{"Oublie ça.", "Laisse tomber.", "C'est faux.", "Ce n’est pas correct.", "N’exécute pas cela.", "En fait, c'est payé.", "Désolé, trop vite.", "Non, c'est payé."},
		doubt:    []string{"Exemple :", "Par exemple :", "p. ex. :", "N’utilise pas :", "Il ne faut pas :", "Au lieu de :", "Peut-être :", "Si c'est payé :", "L'exemple :", "À titre d’exemple\u00a0:", "Faux :"},
		other:    []string{"Utilisateur :", "Utilisateur\u00a0:", "Système\u202f:", "Observation :", "Résultat :", "Résultat de l'outil :"},
		near:     []string{"Attends-toi à une réponse.", "Attendre ne sert à rien.", "La correction est simple.", "Réponse finale à venir.", "Ensuite :", "« Correction : » dit-il."},
		good:     []string{"Mon choix :", "Je choisis\u00a0:", "Voici\u202f:"},
		verb:     []string{"est faux", "n’est pas bon", "ou rien", "serait faux"},
	},
	"German": {
		correct: []string{"Warte, es ist bezahlt.", "Moment mal, es ist bezahlt.", "Korrektur:", "Korrektur: schließen", "Ich habe mich geirrt.", "Ich meinte:", "Entschuldigung, ich meinte:",
			"Ich habe es mir anders überlegt.", "Gut. Nein, warte.", "**Berichtigung:**"},
		last:     []string{"Endgültige Antwort:", "Meine endgültige Antwort ist:", "Meine endgültige Antwort lautet:", "**Finale Antwort:**", "ENDGÜLTIGE ENTSCHEIDUNG:"},
		withdraw: []string{"Vergiss das.", "Das ist falsch.", "Das stimmt nicht.", "Nein, es ist bezahlt.", "Bitte ignorieren.", "Tut mir leid, zu schnell.", "Eigentlich, nein."},
		doubt: []string{"Zum Beispiel:", "z.B.:", "z. B.:", "Beispiel:", "Nicht:", "Statt:", "Vielleicht:", "Falls es bezahlt ist:", "Option A:", "Der Benutzer schrieb:", "Falsch:", "Kein Aufruf von:",
			"bspw.:"},
		other: []string{"Benutzer:", "Nutzer:", "Beobachtung:", "Ergebnis:", "Kunde:"},
		near:  []string{"Warten hilft nicht.", "Wartezeit: keine", "Die Korrektur ist einfach.", "Endgültige Antwort folgt.", "Dann:", "„Korrektur:“ stand da."},
		good:  []string{"Meine Wahl:", "Ich wähle:", "Nicht die Erstattung, sondern:"},
		verb:  []string{"ist falsch", "wäre falsch", "oder nichts", "nicht"},
	},
	"Japanese": {
		correct: []string{"待って、支払い済みです。", "待って。", "ちょっと待って、支払い済みです。", "訂正：", "訂正：閉じる", "訂正します。", "間違えました。", "確認しました。間違えました。", "確認しました！待って、支払い済みです。", "修正版：",
			"考えを変えました。", "**訂正**："},
		last:     []string{"最終回答：", "最終回答:", "最終回答は：", "最終的な回答：", "**最終決定：**"},
		withdraw: []string{"取り消します。", "忘れてください。", "これは間違いです。", "違います。", "いや、支払い済みです。", "すみません、早すぎました。", "やっぱり、"},
		doubt:    []string{"例：", "例えば：", "使用例：", "使わない：", "これではなく：", "もし支払い済みなら：", "かもしれない：", "選択肢A：", "案1：", "サンプル：", "下書き："},
		other:    []string{"ユーザー：", "ユーザー:", "観察：", "システム：", "ツールの結果：", "質問："},
		near:     []string{"待っている。", "待ってくれました。", "訂正が必要かどうか。", "最終回答はまだです。", "「訂正：」", "次：", "すぐに閉じます。"},
		good:     []string{"私の選択：", "選択：", "次を呼び出します："},
		verb:     []string{"は間違い", "が正しい", "を使う", "ではない", "または別のもの"},
	},
	"Portuguese": {
		correct: []string{"Espere, já está pago.", "Não, espere.", "Correção:", "Correção: fechar", "Eu errei.", "Cometi um erro.", "Pensando bem, é melhor fechar.", "Quis dizer:", "Mudei de ideia.",
			"Já vi. Espere, está pago.", "**Correção:**"},
		last:     []string{"Resposta final:", "Minha resposta final é:", "**Decisão final:**", "ESCOLHA FINAL:"},
		withdraw: []string{"Esqueça.", "Isso está errado.", "Isso não está certo.", "Não execute isso.", "Desculpe, foi rápido demais.", "Na verdade, já está pago.", "Não, já está pago."},
		doubt:    []string{"Exemplo:", "Por exemplo:", "p.ex.:", "Não use:", "Em vez de:", "Ao invés de:", "Talvez:", "Se estiver pago:", "Caso esteja pago:", "Opção A:", "O usuário escreveu:", "Errado:"},
		other:    []string{"Usuário:", "Observação:", "Utilizador:", "Resultado da ferramenta:"},
		near:     []string{"Esperei por isso.", "Espere pela resposta.", "A correção é simples.", "Resposta final em breve.", "Depois:", "“Correção:” dizia."},
		good:     []string{"Minha escolha:", "Escolho:", "Neste caso:", "Trata-se de:"},
		verb:     []string{"é errado", "não é", "está errado", "seria errado"},
	},
}

func TestMarkers(t *testing.T) {
	t.Parallel()
	options := corpusMenus(t)["support"]
	const one, two = `{"call": "set_priority", "args": {"level": 2}}`, `{"call": "close_ticket"}`
	for language, c := range markerCases {
		check := func(rule string, texts []string, before, behind, want string) {
			t.Helper()
			if len(texts) == 0 {
				t.Errorf("%s: nothing to test that %s", language, rule)
			}
			for _, text := range texts {
				reply := before + text + behind
				got := readOutcome(reply, options, Reading{})
				if got.Call+string(got.Error) != want {
					t.Errorf("%s: %s: got %s, want %s, in\n%s", language, rule, got, want, reply)
				}
			}
		}
		check("a correction makes the last pick win", c.correct, one+"\n", "\n"+two, "close_ticket")
		check("... on the pick's line too", c.correct, one+" ", "\n"+two, "close_ticket")
		check("a correction takes back what stands before it", c.correct, one+"\n", "\n", "ambiguous")
		check("a last word makes the last pick win", c.last, one+"\n", "\n"+two, "close_ticket")
		check("a last word stands before a pick", c.last, "", "\n"+two, "close_ticket")
		check("a pick is taken back", c.withdraw, one+"\n", "\n", "ambiguous")
		check("a pick that is taken back leaves two", c.withdraw, one+"\n", "\n"+two, "ambiguous")
		check("a near marker leaves two", c.near, one+"\n", "\n"+two, "ambiguous")
		check("a label of doubt makes a mention", c.doubt, "", " "+two, "ambiguous")
		check("... from the line above", c.doubt, "", "\n"+two, "ambiguous")
		check("... across a blank line", c.doubt, "", "\n\n"+two, "ambiguous")
		check("... before a fence", c.doubt, "", "\n```json\n"+two+"\n```", "ambiguous")
		check("a label of somebody else makes a mention", c.other, "", " "+two, "ambiguous")
		check("a made-up turn between two picks", c.other[:1], one+"\n", " done\n"+one, "ambiguous")
		check("a label that says nothing else", c.good, "", " "+two, "close_ticket")
		check("... on the line above", c.good, "", "\n"+two, "close_ticket")
		check("a verb behind the object makes a mention", c.verb, two+" ", ".", "ambiguous")
	}
}

// TestMarkerTable: what is written down is what is looked up, each once in its form, and no marker of one meaning hides one of another.
func TestMarkerTable(t *testing.T) {
	t.Parallel()
	for i, l := range languages {
		for _, list := range []string{l.corrections, l.finals, l.withdrawals, l.turns, l.doubts, l.phrases, l.opening, l.options, l.roles, l.verbs, l.is} {
			if list != strings.ToLower(list) || strings.Contains(list, "||") || strings.Contains(list, "’") || strings.HasPrefix(list, "|") || strings.HasSuffix(list, "|") {
				t.Errorf("language %d: not in the form of the table: %s", i, list)
			}
		}
	}
	for first, list := range markers {
		for i, m := range list {
			if r, _ := utf8.DecodeRuneInString(m.text); r != first || len(m.text) < 2 || len(m.text) > maxMarker || string(appendLower(nil, m.text)) != m.text {
				t.Errorf("%q is filed under %q", m.text, first)
			}
			for _, other := range list[:i] {
				if other.text == m.text && other.end == m.end && other.means != m.means {
					t.Errorf("%q means two things", m.text)
				}
			}
		}
	}
}

// TestNextSentence walks over texts sentence by sentence.
func TestNextSentence(t *testing.T) {
	t.Parallel()
	for _, want := range [][]string{
		{"One.", " Two!", " Three?", " four"}, {"a.b ", ""}, {"好。", "不对，关闭！", "完"}, {"はい。", "\n", "待って"}, {"Hm…", " wait"}, {"a…b"}, {"１．", "２"}, {"。", "。"}, {"\xe3\x80"}, {"é。", "é"}, {"a.\n", "b"},
	} {
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		rest := strings.Join(want, "")
		for i, sentence := range want {
			n := nextSentence(rest)
			if rest[:n] != sentence {
				t.Errorf("sentence %d of %q is %q, want %q", i, strings.Join(want, ""), rest[:n], sentence)
				break
			}
			rest = rest[n:]
		}
	}
}

// TestDoubtIn names the word of doubt.
func TestDoubtIn(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"I will not use": "not", "we can’t": "can't", "my pick, not yours, but this": "", "e.g.": "e.g", "the egg": "", "z. B.": "z.b", "n’utilise rien": "n'utilise", "d’exemple": "d'exemple",
		"au lieu de cela": "au lieu de", "un lieu de travail": "", "en lugar de eso": "en lugar de", "besides the tal vezes": "", "我不会用它": "不会", "我不会用它，而是": "", "以下の例": "例", "选项 b": "选项", "选项如下": "",
		"si vous voulez": "si", "se for": "se", "trata-se": "", "option b": "option", "option": "", "something like": "like", "like to": "", "": "",
	} {
		if got := doubtIn(words); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
}

// TestAppendLower keeps the length of everything.
func TestAppendLower(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"WAIT": "wait", "À LA Réflexion": "à la réflexion", "İK\u212a": "İk\u212a", "不对": "不对", "a\xffB": "a\xffb", "\xe7\xad": "\xe7\xad", "": ""} {
		if got := string(appendLower(nil, text)); got != want || len(got) != len(text) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
